package io.nodepool.cli;

import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.input.PlanningOptions;
import io.nodepool.cli.input.ServingOptions;
import io.nodepool.control.LoopTimings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the operator alone, against a cluster and a fleet that exist, until it is told to stop. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = "Run the operator against a cluster until it is stopped with SIGTERM or Ctrl-C.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:it could not start, or lost its leadership and has to be started again",
      "2:an option, a file or an environment variable is wrong",
      "130, 143:it was ended by Ctrl-C or SIGTERM"
    })
public final class RunCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final ServingOptions serving = new ServingOptions();

  @Option(
      names = "--control-plane-namespaces",
      paramLabel = "NAME",
      split = ",",
      converter = OptionValues.OfNamespace.class,
      description =
          "Further Namespaces of the control plane: Pods in them are no tenant work, and they are labelled"
              + " ns.coreweave.cloud/org=control-plane where nobody else set that label. Always among them are"
              + " kube-system, kube-public, kube-node-lease, hpc-verification, node-problem-detector, those whose names"
              + " begin with cw-, and the operator's own.")
  private Set<String> controlPlaneNamespaces = Set.of();

  @Mixin private PlanningOptions planning = new PlanningOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CompletableFuture<Integer> end = new CompletableFuture<>();
    try (ShutdownOnSignal interruption = new ShutdownOnSignal(() -> end.complete(ExitCodes.DONE));
        Meters meters = new Meters();
        OperatorRuntime runtime =
            OperatorRuntime.start(
                connection.config(),
                new OperatorRuntime.Options(
                    connection.namespace(),
                    identity(),
                    InstanceCatalogue.bundled(),
                    planning.settings(),
                    new ControlPlaneNamespaces(controlPlaneNamespaces),
                    LoopTimings.DEFAULTS,
                    InstantSource.system(),
                    new OperatorRuntime.Reporting(
                        meters.registry(), why -> end.complete(ExitCodes.FAILED))));
        Endpoint _ = serving.start(meters.registry(), runtime::isHealthy, runtime::isReady)) {
      // From here on a signal does not interrupt this thread, which still has to end the writes.
      interruption.listen();
      return end.join();
    }
  }

  /** A process that starts again is another candidate than the one before. */
  private String identity() {
    String host = CommandEnvironment.of(spec).environment().getOrDefault("HOSTNAME", "nodepool");
    return host + "-" + UUID.randomUUID();
  }
}
