package io.nodepool.bench;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.local.programs.ControlPlaneBinaries;
import java.time.Duration;
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
  /** The options of the local cluster. */
  public LocalClusterOptions cluster() {
    return LocalClusterOptions.standard(progress).withBinaries(binaries);
  }
}
