package io.nodepool.cli.dev;

import io.fabric8.kubernetes.client.Config;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.Logging;
import io.nodepool.cli.command.PrivateFolder;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.ControlPlaneOptions;
import io.nodepool.cli.input.InputFile;
import io.nodepool.cli.input.Manifests;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.input.ReservedKeysOption;
import io.nodepool.cli.input.SpeedOption;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Executables;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a cluster, a simulated data centre and the operator in one command. */
@Command(
    name = "dev",
    mixinStandardHelpOptions = true,
    description =
        "Start a local Kubernetes control plane, a simulated data centre and the operator, until q or Ctrl-C.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:q was pressed, or with --exit-at-target every NodePool is at its target",
      "1:the command failed",
      "2:an option, a file or an environment variable is wrong",
      "3:with --exit-at-target, a NodePool cannot reach its target without a change",
      "4:with --timeout, a NodePool did not reach its target in time",
      "130, 143:the command was ended by Ctrl-C or SIGTERM"
    })
public final class DevCommand implements Callable<Integer> {
  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      description =
          "Manifest to apply, of objects of any kinds; its NodePools are followed. May be repeated.")
  private List<Path> filenames = new ArrayList<>();

  @Option(
      names = "--exit-at-target",
      description = "End once every applied NodePool is at its target.")
  private boolean exitAtTarget;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "With --exit-at-target, how long to wait. Default: no limit.")
  private Optional<Integer> timeout = Optional.empty();

  @Option(
      names = "--data-centre",
      paramLabel = "FILE",
      description = "Manifest of a SimulatedFleet to run instead of the default one.")
  private Optional<Path> dataCentre = Optional.empty();

  @Mixin private final SpeedOption speed = new SpeedOption();
  @Mixin private final ReservedKeysOption reserved = new ReservedKeysOption();

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "Use an existing cluster: this context of the kubeconfig.")
  private Optional<String> context = Optional.empty();

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Use an existing cluster: this kubeconfig.")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--write-kubeconfig",
      paramLabel = "FILE",
      description = "Also write the local cluster's kubeconfig to this file; removed at the end.")
  private Optional<Path> writeKubeconfig = Optional.empty();

  @Mixin private final ControlPlaneOptions controlPlane = new ControlPlaneOptions();

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      converter = OptionValues.OfPort.class,
      description = "Serve the operator's metrics on this port of 127.0.0.1, 0 for any free one.")
  private Optional<Integer> metricsPort = Optional.empty();

  @Option(
      names = "--verbose",
      description = "Log every write, and print the stack trace of a failure.")
  private boolean verbose;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** Completed with the exit code when the command must end. */
  private final CompletableFuture<Integer> end = new CompletableFuture<>();

  @Override
  public Integer call() throws Exception {
    checkOptions();
    List<Manifests.Manifest> objects = DevManifests.objects(filenames);
    require(
        !exitAtTarget || !DevManifests.goal(objects).names().isEmpty(),
        "--exit-at-target needs a NodePool: add -f FILE.");
    DevManifests.Fleet fleet = DevManifests.fleet(dataCentre);
    Screen screen = Screen.on(spec.commandLine().getOut());
    Supplier<DevCluster> opening = opening(screen);
    // Opened first and closed last: the process must not end before the files are closed.
    try (ShutdownOnSignal interruption = new ShutdownOnSignal(() -> end.complete(ExitCodes.DONE));
        PrivateFolder files = PrivateFolder.create()) {
      Path log = files.file("nodepool.log");
      try (Logging _ = Logging.toFile(log, verbose);
          DevCluster cluster = opening.get()) {
        cluster.install(reserved.exceptions(spec));
        cluster.apply(fleet.manifest());
        announce(screen, cluster, files, log);
        screen.say(fleet.inWords(speed.times()));
        Consumer<String> operatorEnded =
            why -> {
              files.keep(log);
              screen.say("The operator ended: %s. The log is kept: %s".formatted(why, log));
              end.complete(ExitCodes.FAILED);
            };
        return DevSession.run(
            cluster,
            new DevSession.Settings(fleet, speed.times(), reserved.exceptions(spec), operatorEnded),
            session -> {
              interruption.listen();
              return follow(session, screen, objects, cluster);
            });
      }
    }
  }

  private void checkOptions() {
    speed.check(spec);
    KeyExceptions exceptions = reserved.exceptions(spec);
    require(
        !isExisting() || exceptions.equals(KeyExceptions.NONE),
        "--allow-reserved-key is for the local cluster: dev does not change the policies of an existing one.");
    require(timeout.isEmpty() || exitAtTarget, "--timeout needs --exit-at-target.");
    require(
        timeout.map(seconds -> seconds > 0).orElse(true), "--timeout must be at least 1 second.");
    require(
        !isExisting() || (writeKubeconfig.isEmpty() && !controlPlane.isGiven()),
        "--write-kubeconfig, --binaries, --binary-mirror, --insecure-mirror and --offline are for the local cluster, not for an existing one.");
    Optional<String> obstacle = writeKubeconfig.flatMap(InputFile::obstacleTo);
    require(obstacle.isEmpty(), "--write-kubeconfig: " + obstacle.orElse(""));
  }

  private void require(boolean right, String message) {
    OptionValues.require(spec, right, message);
  }

  private boolean isExisting() {
    return context.isPresent() || kubeconfig.isPresent();
  }

  /** Checks the options of the cluster, and returns how to open it. */
  private Supplier<DevCluster> opening(Screen screen) {
    if (isExisting()) {
      Config config = ConnectionOptions.config(kubeconfig, context, CommandEnvironment.of(spec));
      return () -> DevCluster.existing(config);
    }
    ControlPlaneBinaries binaries = controlPlane.search(spec, screen);
    return () -> {
      screen.say("Starting a local Kubernetes control plane ...");
      return DevCluster.start(binaries, screen::say);
    };
  }

  private void announce(Screen screen, DevCluster cluster, PrivateFolder files, Path log) {
    cluster
        .kubeconfig()
        .ifPresentOrElse(
            text -> {
              Path own = files.write("kubeconfig", text);
              writeKubeconfig.ifPresent(file -> files.writeElsewhere(file, text));
              screen.say("The cluster is ready. For kubectl, in another terminal:");
              screen.pin("  export KUBECONFIG=" + writeKubeconfig.orElse(own).toAbsolutePath());
              if (Executables.onPath(CommandEnvironment.of(spec).environment(), "kubectl")
                  .isEmpty()) {
                screen.say(
                    "kubectl is not on the PATH; https://kubernetes.io/docs/tasks/tools says how to get it.");
              }
            },
            () ->
                screen.say("Using the cluster at %s.".formatted(cluster.config().getMasterUrl())));
    screen.say("Log (deleted at the end, unless the operator ends by itself): " + log);
  }

  /** Applies the objects, and follows the NodePools among them until the end. */
  private int follow(
      DevSession session, Screen screen, List<Manifests.Manifest> objects, DevCluster cluster)
      throws Exception {
    try (AutoCloseable _ = metrics(screen, session.operator(), session.meters())) {
      var _ = end.thenRun(session.board()::wake);
      objects.forEach(cluster::apply);
      return new PoolProgress(
              screen,
              session.board(),
              DevManifests.goal(objects),
              exitAtTarget,
              timeout.map(Duration::ofSeconds),
              end)
          .run();
    }
  }

  /** Serves the metrics if there is a port for them, until the result is closed. */
  private AutoCloseable metrics(
      Screen screen, OperatorRuntime operator, PrometheusMeterRegistry meters) throws IOException {
    if (metricsPort.isEmpty()) {
      return () -> {};
    }
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), metricsPort.get());
    try {
      Endpoint endpoint =
          Endpoint.start(
              address, Optional.of(meters::scrape), operator::isHealthy, operator::isReady);
      screen.pin("Metrics: http://127.0.0.1:%d/metrics".formatted(endpoint.port()));
      return endpoint;
    } catch (java.net.BindException e) {
      throw new CommandFailure(
          "Port %d of 127.0.0.1 is taken; choose another with --metrics-port."
              .formatted(metricsPort.get()),
          e);
    }
  }
}
