package io.nodepool.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin as kubectl runs it, on a real API server without an operator. */
@WithLocalCluster
class KubectlPluginIT {
  private static final String POOL = "plugged";
  private static final String BUSY = "gbbbbbb";
  private static final String IDLE = "gaaaaaa";

  private final KubernetesClient admin;
  private final InstalledPlugin plugin;

  KubectlPluginIT(LocalCluster cluster, KubernetesClient admin, @TempDir Path folder)
      throws IOException {
    this.admin = admin;
    this.plugin = new InstalledPlugin(folder, cluster.kubeconfig());
  }

  @BeforeEach
  void start() throws IOException {
    TestCluster.prepare(admin);
    plugin.install(true);
    create(IDLE, "False");
    create(BUSY, "True");
  }

  @AfterEach
  void end() {
    admin.nodes().withName(IDLE).delete();
    admin.nodes().withName(BUSY).delete();
    admin.pods().inNamespace("default").delete();
  }

  private void create(String name, String active) {
    Node node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels("compute.coreweave.com/node-pool", POOL)
            .addToLabels("node.coreweave.cloud/state", "production")
            .endMetadata()
            .build();
    admin.resource(node).create();
    // Controllers of the cluster write to the Node too.
    Awaitility.await()
        .ignoreExceptions()
        .until(() ->
            admin
                    .nodes()
                    .withName(name)
                    .editStatus(stored ->
                        new NodeBuilder(stored)
                            .withNewStatus()
                            .withConditions(
                                condition("Ready", "True", ""),
                                condition(
                                    "CWActive", active, "1 Pod of tenant workloads: Job a/b."))
                            .endStatus()
                            .build())
                != null);
  }

  private static NodeCondition condition(String type, String status, String message) {
    return new NodeConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason("Test")
        .withMessage(message)
        .build();
  }

  private Node stored(String name) {
    return admin.nodes().withName(name).require();
  }

  private List<NodeCondition> pending(String name) {
    return stored(name).getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("PendingPhaseState"))
        .toList();
  }

  private String run(int code, String... words) throws IOException, InterruptedException {
    InstalledPlugin.Result result = plugin.run(words);
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(code);
    return result.out() + result.err();
  }

  @Test
  void factsArePrinted() throws Exception {
    InstalledPlugin.Result table = plugin.run("get", POOL);
    assertThat(table.err()).isEmpty();
    assertThat(table.out().lines().map(line -> line.replaceFirst(" .*", "")))
        .containsExactly("NAME", IDLE, BUSY);
    assertThat(table.out()).contains("Active").contains("Idle");
    assertThat(new ObjectMapper().readTree(run(0, "get", "-o", "json")).path("items").size())
        .isGreaterThanOrEqualTo(2);
    assertThat(run(0, "describe", BUSY)).contains("1 Pod of tenant workloads: Job a/b.");
    assertThat(run(1, "get", "unknown"))
        .isEqualTo("error: nodepools.compute.coreweave.com \"unknown\" not found\n");
    assertThat(run(1, "describe", "unknown")).isEqualTo("error: nodes \"unknown\" not found\n");
  }

  @Test
  void aSafeRebootIsWrittenOnceAndCancelled() throws Exception {
    assertThat(run(0, "reboot", "--safe", BUSY))
        .isEqualTo("node/%s reboot requested (safe)\n".formatted(BUSY));
    assertThat(pending(BUSY))
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.getStatus()).isEqualTo("True");
          assertThat(condition.getReason()).isEqualTo("production-reboot");
          assertThat(condition.getLastTransitionTime()).isNotEmpty();
        });
    assertThat(stored(BUSY).getMetadata().getLabels())
        .containsEntry("node.coreweave.cloud/pending-state", "production-reboot");

    assertThat(run(0, "reboot", "--safe", BUSY)).contains("nothing was written");
    assertThat(run(0, "uncordon", BUSY)).contains("the pending production-reboot is cancelled");
    assertThat(stored(BUSY).getMetadata().getLabels())
        .doesNotContainKey("node.coreweave.cloud/pending-state");
    assertThat(run(0, "reboot", "--safe", "--power-reset", BUSY)).contains("requested");
    assertThat(pending(BUSY))
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.getStatus()).isEqualTo("True");
          assertThat(condition.getReason()).isEqualTo("production-powerreset");
        });
  }

  @Test
  void withoutATerminalABusyNodeIsRebootedOnlyByForce() throws Exception {
    assertThat(run(1, "reboot", BUSY, IDLE))
        .contains("node/%s reboot requested (immediate)\n".formatted(IDLE))
        .contains(
            "error: node/%s: it is active: 1 Pod of tenant workloads: Job a/b.".formatted(BUSY));
    assertThat(pending(BUSY)).isEmpty();

    assertThat(run(0, "reboot", "--force", BUSY)).contains("reboot requested (immediate)");
    assertThat(stored(BUSY).getMetadata().getAnnotations())
        .containsEntry("nodepool.io/reboot-policy", "Immediate");
  }

  @Test
  void aDrainedNodeHasNoPods() throws Exception {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("work")
            .withNamespace("default")
            .endMetadata()
            .withNewSpec()
            .withNodeName(BUSY)
            .withTerminationGracePeriodSeconds(0L)
            .addNewContainer()
            .withName("c")
            .withImage("i")
            .endContainer()
            .endSpec()
            .build();
    // The account of Pods is created by a controller, a moment after the cluster starts.
    Awaitility.await().ignoreExceptions().until(() -> admin.resource(pod).create() != null);

    assertThat(run(1, "drain", BUSY)).contains("cannot evict Pods without a controller");
    assertThat(run(0, "drain", "--force", "--timeout=60s", BUSY))
        .isEqualTo(
            """
            node/%1$s already cordoned
            evicting pod default/work
            pod/work evicted
            node/%1$s drained
            """
                .formatted(BUSY));
    assertThat(stored(BUSY).getSpec().getUnschedulable()).isTrue();
    assertThat(run(0, "undrain", BUSY)).contains("uncordoned");
    assertThat(run(0, "cordon", BUSY)).contains("cordoned");
  }

  @Test
  void theFirstListIsFollowedByACacheForThisUserAlone() throws Exception {
    run(0, "get");
    Path folder = plugin.cache().resolve("nodepool/kubectl");
    Awaitility.await().until(() -> names(folder).stream().allMatch(name -> name.endsWith(".aot")));

    assertThat(names(folder)).hasSize(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    InstalledPlugin.Result cached = plugin.run("get", POOL);
    assertThat(cached.err()).isEmpty();
    assertThat(cached.out()).contains(IDLE).contains(BUSY);
    assertThat(names(folder)).hasSize(1);
  }

  private static List<String> names(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> "" + file.getFileName()).toList();
    }
  }

  @Test
  void aCopyOfTheOneFileNeedsTheHomeOfTheProgram() throws Exception {
    plugin.install(false);
    assertThat(run(1, "get"))
        .startsWith("error: kubectl-nodepool: ")
        .endsWith("; link kubectl-nodepool from there, or set NODEPOOL_HOME to it\n");

    plugin.set("NODEPOOL_HOME", "" + plugin.home());
    assertThat(run(0, "get")).contains(IDLE);
    Files.delete(plugin.home().resolve("nodepool.jar"));
    assertThat(run(1, "get")).contains("nodepool.jar does not exist");
  }

  @Test
  void aClusterThatDoesNotAnswerIsOneClearError() throws Exception {
    plugin.set(
        "KUBECONFIG",
        ""
            + Files.writeString(
                plugin.home().resolve("nowhere"),
                """
                apiVersion: v1
                kind: Config
                current-context: c
                clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]
                contexts: [{name: c, context: {cluster: c}}]
                """));
    assertThat(run(1, "get").lines())
        .singleElement()
        .asString()
        .startsWith("error: ")
        .contains("127.0.0.1:1");
  }
}
