package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.input.Admission;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.vocabulary.metadata.LabelDomains;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effect of the admission policies on users of {@code nodepool dev}. */
@Tag("local-cluster")
class DevAdmissionIT {
  private static final Duration SOON = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @Test
  void cpuWorkIsScheduledToCpuNodesAndLabelsOfTheProviderAreRejected() throws Exception {
    Path kubeconfig = folder.resolve("kubeconfig");
    Path log = folder.resolve("log");
    Process dev =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "dev",
                "--speed=40",
                "--allow-reserved-key=apps.coreweave.cloud/tier",
                "--write-kubeconfig=" + kubeconfig,
                "-f",
                "examples/cpu-pool.yaml")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(log).content().contains("export KUBECONFIG="));
      try (KubernetesClient user = LocalClusterExtension.client(Files.readString(kubeconfig))) {
        await().atMost(SOON).until(() -> nodes(user).size() == 4);
        work(user);
        String node = nodes(user).getFirst().getMetadata().getName();
        assertRefused(
            user,
            node,
            "{\"metadata\": {\"labels\": {\"node.coreweave.cloud/state\": \"triage\"}}}",
            LabelDomains.REFUSAL);
        assertRefused(
            user,
            node,
            "{\"metadata\": {\"annotations\": {\"fleet.nodepool.io/host-uid\": null}}}",
            "Only the operator and the fleet may write");
        labelledByTheSpec(user);
        actAsTheOperator(Files.readString(kubeconfig), node);
      }
    } finally {
      dev.destroy();
      assertThat(dev.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
    }
  }

  /** A reserved key that the command allows is on the Nodes, and no other can be given. */
  private static void labelledByTheSpec(KubernetesClient user) {
    label(user, "apps.coreweave.cloud/tier");
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(nodes(user))
                .hasSize(4)
                .allSatisfy(node ->
                    assertThat(node.getMetadata().getLabels())
                        .containsEntry("apps.coreweave.cloud/tier", "one")));
    assertThatThrownBy(() -> label(user, "apps.coreweave.cloud/other"))
        .hasMessageContaining(LabelDomains.REFUSAL);
  }

  private static void label(KubernetesClient user, String key) {
    user.resources(NodePool.class)
        .withName("example-cpu-nodepool")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"nodeLabels\": {\"%s\": \"one\"}}}".formatted(key));
  }

  /** As with {@code kubectl --as}: the account's name alone, without its groups. */
  private static void actAsTheOperator(String kubeconfig, String node) {
    Config config =
        new ConfigBuilder(Config.fromKubeconfig(kubeconfig))
            .withImpersonateUsername(Admission.OPERATOR)
            .build();
    try (KubernetesClient operator = new KubernetesClientBuilder().withConfig(config).build()) {
      operator
          .nodes()
          .withName(node)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"metadata\": {\"annotations\": {\"nodepool.io/removal\": null}}}");
    }
  }

  private static void work(KubernetesClient user) {
    Pod pod = user.resource(pod()).create();
    assertThat(pod.getSpec().getTolerations())
        .filteredOn(toleration -> "is_cpu_compute".equals(toleration.getKey()))
        .hasSize(1);
    await()
        .atMost(SOON)
        .until(() -> user.resource(pod).get().getStatus().getPhase().equals("Running"));
    assertThat(nodes(user))
        .extracting(node -> node.getMetadata().getName())
        .contains(user.resource(pod).get().getSpec().getNodeName());
  }

  private static void assertRefused(
      KubernetesClient user, String node, String patch, String refusal) {
    assertThatThrownBy(
            () -> user.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch))
        .hasMessageContaining(refusal);
  }

  private static List<Node> nodes(KubernetesClient user) {
    return user.nodes()
        .withLabel("compute.coreweave.com/node-pool", "example-cpu-nodepool")
        .list()
        .getItems();
  }

  private static Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withName("cpu-work")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage("example.com/work")
        .endContainer()
        .endSpec()
        .build();
  }
}
