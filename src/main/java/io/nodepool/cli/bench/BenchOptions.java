package io.nodepool.cli.bench;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What is measured, and how.
 *
 * @param nodes how many Nodes a pool grows by
 * @param rest how long a cluster at rest is watched
 * @param longest how long everything may take
 * @param binaries the directory of the control plane's programs, if the user named one
 * @param install brings our CRDs and the operator's namespace into a cluster
 * @param operator how operators are started
 * @param progress told, line by line, what is being done
 */
public record BenchOptions(
    int nodes,
    Duration rest,
    Duration longest,
    Optional<Path> binaries,
    Consumer<KubernetesClient> install,
    OperatorLaunch operator,
    Consumer<String> progress) {
  /** How the local cluster is started. */
  LocalClusterOptions cluster() {
    LocalClusterOptions standard = LocalClusterOptions.standard(progress);
    return binaries.map(standard::withBinaries).orElse(standard);
  }
}
