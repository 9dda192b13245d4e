package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalCluster;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The kubectl on the PATH, if any. */
final class Kubectl {
  private Kubectl() {}

  /**
   * Drains Nodes that run only Pods of DaemonSets, as an administrator does. Without kubectl they
   * are cordoned, which has the same effect on such Nodes.
   */
  static void drain(LocalCluster cluster, KubernetesClient admin, List<String> nodes)
      throws IOException, InterruptedException {
    if (isThere()) {
      run(cluster, nodes);
    } else {
      nodes.forEach(node ->
          ClientEdit.edited(
              admin.nodes().withName(node), stored -> stored.getSpec().setUnschedulable(true)));
    }
  }

  private static boolean isThere() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kubectl")));
  }

  private static void run(LocalCluster cluster, List<String> nodes)
      throws IOException, InterruptedException {
    Path kubeconfig = Files.createTempFile("kubeconfig", ".yaml");
    Path output = Files.createTempFile("kubectl", ".log");
    try {
      Files.writeString(kubeconfig, cluster.kubeconfig());
      List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig", "" + kubeconfig));
      command.addAll(List.of("drain", "--ignore-daemonsets", "--timeout=60s"));
      command.addAll(nodes);
      int exit =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start()
              .waitFor();
      assertThat(exit).as(Files.readString(output, StandardCharsets.UTF_8)).isZero();
    } finally {
      Files.delete(kubeconfig);
      Files.delete(output);
    }
  }
}
