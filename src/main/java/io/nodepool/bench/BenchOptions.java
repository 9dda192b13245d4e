package io.nodepool.bench;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.local.programs.ControlPlaneBinaries;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What is measured, and how.
 *
 * @param nodes how many Nodes a pool grows by
 * @param rest how long a cluster at rest is watched
 * @param longest how long everything may take
 * @param binaries finds the control plane's programs
 * @param install brings our CRDs and the operator's namespace into a cluster
 * @param operator how operators are started
 * @param progress told, line by line, what is being done
 */
public record BenchOptions(
    int nodes,
    Duration rest,
    Duration longest,
    ControlPlaneBinaries binaries,
    Consumer<KubernetesClient> install,
    OperatorLaunch operator,
    Consumer<String> progress) {
  /** How the local cluster is started. */
  public LocalClusterOptions cluster() {
    return LocalClusterOptions.standard(progress).withBinaries(binaries);
  }
}
