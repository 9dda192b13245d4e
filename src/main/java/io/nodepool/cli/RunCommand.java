package io.nodepool.cli;

import io.fabric8.kubernetes.client.Config;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.Meters;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.input.PlanningOptions;
import io.nodepool.cli.input.ProtectedMetricsOptions;
import io.nodepool.cli.input.ReceivingOptions;
import io.nodepool.cli.input.ReservedKeysOption;
import io.nodepool.cli.input.ServingOptions;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
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

/** Runs the operator against an existing cluster and fleet until it is stopped. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = "Run the operator against a cluster until it is stopped with SIGTERM or Ctrl-C.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:the operator could not start, or lost its leadership and must be started again",
      "2:an option, a file or an environment variable is wrong",
      "130, 143:the command was ended by Ctrl-C or SIGTERM"
    })
public final class RunCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final ServingOptions serving = new ServingOptions();
  @Mixin private final ProtectedMetricsOptions metrics = new ProtectedMetricsOptions();
  @Mixin private final ReceivingOptions receiving = new ReceivingOptions();

  @Option(
      names = "--control-plane-namespaces",
      paramLabel = "NAME",
      split = ",",
      converter = OptionValues.OfNamespace.class,
      description =
          "Further control-plane Namespaces: Pods in them are not tenant work, and they are labelled"
              + " ns.coreweave.cloud/org=control-plane where no other client set that label. Always included are"
              + " kube-system, kube-public, kube-node-lease, hpc-verification, node-problem-detector, those whose names"
              + " begin with cw-, and the operator's own.")
  private Set<String> controlPlaneNamespaces = Set.of();

  @Mixin private PlanningOptions planning = new PlanningOptions();
  @Mixin private final ReservedKeysOption reserved = new ReservedKeysOption();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    PlanSettings settings = planning.settings();
    LoopSettings loops = LoopSettings.DEFAULTS.withExceptions(reserved.exceptions(spec));
    receiving.prepare();
    metrics.prepare();
    Config config = connection.config();
    CompletableFuture<Integer> end = new CompletableFuture<>();
    try (ShutdownOnSignal interruption = new ShutdownOnSignal(() -> end.complete(ExitCodes.DONE));
        Meters meters = new Meters();
        // Closed after the operator, which releases its leadership first.
        AutoCloseable _ = receiving.start(config, connection.namespace(), meters.registry());
        OperatorRuntime runtime =
            OperatorRuntime.start(
                config,
                new OperatorRuntime.Options(
                    connection.namespace(),
                    identity(),
                    InstanceCatalogue.bundled(),
                    settings,
                    new ControlPlaneNamespaces(controlPlaneNamespaces),
                    loops,
                    InstantSource.system(),
                    new OperatorRuntime.Reporting(
                        meters.registry(), why -> end.complete(ExitCodes.FAILED))));
        AutoCloseable _ = metrics.start(serving, config, meters.registry());
        Endpoint _ =
            serving.start(
                meters.registry(), !metrics.isSet(), runtime::isHealthy, runtime::isReady)) {
      // From here on a signal does not interrupt this thread, which must still finish the writes.
      interruption.listen();
      return end.join();
    }
  }

  /** The identity for the Lease; a restarted process is a new candidate. */
  private String identity() {
    String host = CommandEnvironment.of(spec).environment().getOrDefault("HOSTNAME", "nodepool");
    return host + "-" + UUID.randomUUID();
  }
}
