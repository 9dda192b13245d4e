package io.nodepool.cli;

import io.fabric8.kubernetes.client.Config;
import io.nodepool.control.Timings;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.OperatorRuntime;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the operator alone, against a cluster and a fleet that exist, until it is told to stop. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = "Run the operator against a cluster until it is stopped with SIGTERM or Ctrl-C.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it was told to stop",
      "1:it could not start, or lost its leadership and has to be started again"
    })
public final class RunCommand implements Callable<Integer> {
  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "Kubeconfig file. Default: $KUBECONFIG, ~/.kube/config, or the Pod's service account.")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "Context of the kubeconfig. Default: its current one.")
  private Optional<String> context = Optional.empty();

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      defaultValue = OperatorRuntime.NAMESPACE,
      description =
          "Namespace of the operator's Lease and of the fleet's offer. Default: ${DEFAULT-VALUE}.")
  private String namespace = OperatorRuntime.NAMESPACE;

  @Option(
      names = "--control-plane-namespaces",
      paramLabel = "NAME",
      split = ",",
      defaultValue =
          "kube-system,kube-public,kube-node-lease,cw-hpc-verification,hpc-verification,node-problem-detector",
      description =
          "Namespaces to label ns.coreweave.cloud/org=control-plane, where that label is not set: Pods in them are no"
              + " tenant work. So are the operator's own and those whose names begin with kube- or cw-. Default:"
              + " ${DEFAULT-VALUE}.")
  private Set<String> controlPlaneNamespaces = Set.of();

  @Option(
      names = "--metrics-address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "Address that metrics and probes are served on; 0.0.0.0 in a container. Default: ${DEFAULT-VALUE}.")
  private String metricsAddress = "127.0.0.1";

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "Port of metrics and probes, 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int metricsPort = 8080;

  @Mixin private PlanningOptions planning = new PlanningOptions();

  @Override
  public Integer call() throws IOException {
    CompletableFuture<Integer> end = new CompletableFuture<>();
    try (Interruption _ = new Interruption(() -> end.complete(ExitCodes.DONE));
        Meters meters = new Meters();
        OperatorRuntime runtime =
            OperatorRuntime.start(
                config(),
                new OperatorRuntime.Options(
                    namespace,
                    identity(),
                    InstanceCatalogue.bundled(),
                    planning.rules(),
                    new ControlPlaneNamespaces(controlPlaneNamespaces),
                    Timings.DEFAULTS,
                    InstantSource.system(),
                    meters.registry(),
                    why -> end.complete(ExitCodes.FAILED)));
        Endpoint _ =
            Endpoint.start(
                new InetSocketAddress(metricsAddress, metricsPort),
                meters.registry()::scrape,
                runtime::isHealthy,
                runtime::isReady)) {
      return end.join();
    }
  }

  private Config config() {
    return kubeconfig.isPresent()
        ? Config.fromKubeconfig(context.orElse(null), kubeconfig.get().toFile())
        : Config.autoConfigure(context.orElse(null));
  }

  /** A process that starts again is another candidate than the one before. */
  private static String identity() {
    String host = System.getenv().getOrDefault("HOSTNAME", "nodepool");
    return host + "-" + UUID.randomUUID();
  }
}
