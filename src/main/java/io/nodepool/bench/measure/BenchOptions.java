package io.nodepool.bench.measure;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.local.programs.ControlPlaneBinaries;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options of a measurement.
 *
 * @param nodes how many Nodes a pool grows by
 * @param rest how long the cluster is observed at rest
 * @param longest the limit for the whole measurement
 * @param binaries finds the control plane's programs
 * @param install creates the CRDs and the operator's namespace in a cluster
 * @param operator how operator processes are started
 * @param progress receives one line for each step
 */
public record BenchOptions(
    int nodes,
    Duration rest,
    Duration longest,
    ControlPlaneBinaries binaries,
    Consumer<KubernetesClient> install,
    OperatorLaunch operator,
    Consumer<String> progress) {
  /**
   * Controllers that are idle in a measurement, without Services, owners, quotas, volumes or
   * DaemonSets, but follow each change of each object. The controller of EndpointSlices counts all
   * Nodes anew each time.
   */
  private static final List<String> IDLE_CONTROLLERS =
      List.of(
          "endpoints-controller",
          "endpointslice-controller",
          "endpointslice-mirroring-controller",
          "garbage-collector-controller",
          "resourcequota-controller",
          "persistentvolume-attach-detach-controller",
          "daemonset-controller");

  /** The options of the local cluster. */
  public LocalClusterOptions cluster() {
    return LocalClusterOptions.standard(progress)
        .withBinaries(binaries)
        .withDisabledControllers(IDLE_CONTROLLERS);
  }
}
