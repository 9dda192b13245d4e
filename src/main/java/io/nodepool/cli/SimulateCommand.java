package io.nodepool.cli;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.Meters;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.dev.DevManifests;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.Manifests;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.input.ServingOptions;
import io.nodepool.cli.input.SpeedOption;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Runs a simulated data centre without the operator until it is stopped. There is no leader
 * election: its next actions depend only on the objects and the seed. Each write tests the state
 * that it was decided on: of two overlapping writes, the later is rejected or changes nothing.
 */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description =
        "Run a simulated data centre on a cluster, without the operator, until it is stopped with SIGTERM or Ctrl-C.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:the data centre could not start",
      "2:an option, a file or an environment variable is wrong",
      "130, 143:the command was ended by Ctrl-C or SIGTERM"
    })
final class SimulateCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final ServingOptions serving = new ServingOptions();

  @Option(
      names = "--data-centre",
      paramLabel = "FILE",
      description =
          "Manifest of a SimulatedFleet to apply and run. Default: one that exists in the cluster.")
  private Optional<Path> dataCentre = Optional.empty();

  @Option(
      names = "--fleet",
      paramLabel = "NAME",
      converter = OptionValues.OfName.class,
      description =
          "Name of the SimulatedFleet in the cluster to run; it may be created later. Default: default.")
  private Optional<String> fleet = Optional.empty();

  @Mixin private final SpeedOption speed = new SpeedOption();

  @Option(
      names = "--leases",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Renew the Leases of the simulated Nodes, so that the cluster keeps them Ready. On by default.")
  private boolean leases = true;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    checkOptions();
    Optional<DevManifests.Fleet> described =
        dataCentre.map(file -> DevManifests.fleet(Optional.of(file)));
    Config config = connection.config();
    described.ifPresent(found -> apply(config, found.manifest()));
    CompletableFuture<Integer> end = new CompletableFuture<>();
    try (ShutdownOnSignal interruption = new ShutdownOnSignal(() -> end.complete(ExitCodes.DONE));
        Meters meters = new Meters();
        SimulatedFleetController controller =
            SimulatedFleetController.start(
                config,
                new SimulatedFleetController.Settings(
                    described.map(found -> found.manifest().name()).orElse(fleet.orElse("default")),
                    connection.namespace(),
                    speed.times(),
                    leases,
                    false,
                    meters.registry(),
                    InstantSource.system()));
        Endpoint _ =
            serving.start(meters.registry(), true, controller::isHealthy, controller::isReady)) {
      interruption.listen();
      return end.join();
    }
  }

  private void checkOptions() {
    speed.check(spec);
    OptionValues.require(
        spec,
        dataCentre.isEmpty() || fleet.isEmpty(),
        "--data-centre and --fleet exclude each other: the manifest names the SimulatedFleet.");
  }

  private static void apply(Config config, Manifests.Manifest manifest) {
    try (KubernetesClient client =
        Clients.forRequests(config, new RequestMeter(new SimpleMeterRegistry()))) {
      manifest.apply(client);
    }
  }
}
