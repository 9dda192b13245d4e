package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.nodepool.kubernetes.ClientEdit;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.PoolConfigurationStatus;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
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
    admin.resources(NodePool.class).delete();
    admin.resources(HostResource.class).delete();
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
    assertThat(run(0, "get", BUSY, "--no-headers", "-n", "default"))
        .startsWith(BUSY)
        .hasLineCount(1);
    assertThat(configured(0, "nodes", POOL, "-A")).contains(IDLE).contains(BUSY);
    assertThat(run(1, "get", "unknown"))
        .isEqualTo("error: node/unknown: no NodePool has such a Node\n");
    assertThat(run(1, "get", "--as", "nobody")).contains("User \"nobody\" cannot list resource");
    assertThat(run(1, "describe", "unknown")).isEqualTo("error: nodes \"unknown\" not found\n");
  }

  private String configured(int code, String... words) throws IOException, InterruptedException {
    InstalledPlugin.Result result = plugin.command(List.of(words));
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(code);
    return result.out() + result.err();
  }

  /** A NodePool, with the status that an operator would write. */
  private void createPool(UnaryOperator<NodePoolStatus> status) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(POOL).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TestCluster.TYPE;
    spec.targetNodes = 2;
    pool.setSpec(spec);
    admin.resource(pool).create();
    report(status);
  }

  private void report(UnaryOperator<NodePoolStatus> change) {
    pools()
        .editStatus(stored -> {
          stored.setStatus(
              change.apply(stored.getStatus() == null ? new NodePoolStatus() : stored.getStatus()));
          return stored;
        });
  }

  private Resource<NodePool> pools() {
    return admin.resources(NodePool.class).withName(POOL);
  }

  private Map<String, String> annotations() {
    return Objects.requireNonNullElse(pools().require().getMetadata().getAnnotations(), Map.of());
  }

  private static NodePoolStatus configurations(NodePoolStatus status) {
    status.nodeProfile = "new";
    status.nodeConfigurationRevisions =
        List.of(
            revision("broken", "2026-11-01T10:00:00Z", 0),
            revision("old", "2026-11-02T10:00:00Z", 2),
            revision("new", "2026-11-03T10:00:00Z", 0));
    status.nodeConfigurationRevisions.getFirst().disabled = true;
    status.pendingNodeConfiguration = new PoolConfigurationStatus.NodeConfigurationStatus();
    status.pendingNodeConfiguration.nodeProfile = "next";
    status.currentNodes = 2;
    return status;
  }

  private static PoolConfigurationStatus.NodeConfigurationRevision revision(
      String profile, String activatedAt, int nodes) {
    PoolConfigurationStatus.NodeConfigurationRevision revision =
        new PoolConfigurationStatus.NodeConfigurationRevision();
    revision.nodeProfile = profile;
    revision.createdAt = activatedAt;
    revision.activatedAt = activatedAt;
    revision.activeNodes = nodes;
    revision.summary = List.of("image of " + profile);
    return revision;
  }

  @Test
  void theConfigurationsOfAPoolAreShown() throws Exception {
    createPool(KubectlPluginIT::configurations);

    assertThat(configured(0, "revisions", POOL).lines().map(line -> line.replaceAll(" +", " ")))
        .satisfiesExactly(
            header -> assertThat(header).isEqualTo("PROFILE ACTIVE NODES AGE DISABLED SUMMARY"),
            broken -> assertThat(broken).matches("broken 0 \\S+ true image of broken"),
            old -> assertThat(old).matches("old 2 \\S+ false image of old"),
            active -> assertThat(active).matches("new \\* 0 \\S+ false image of new"),
            next -> assertThat(next).matches("next pending 0 \\S+ false <none>"));
    assertThat(configured(0, "rollout", "status", POOL))
        .contains("Active:      new\n")
        .contains("Pending:     next\n")
        .contains("Up to date:  0 of 2 Nodes\n")
        .contains("Rollout:     <none>\n");
    assertThat(configured(1, "revisions", "unknown"))
        .isEqualTo("error: nodepools.compute.coreweave.com \"unknown\" not found\n");
  }

  @Test
  void aPromotionAndARollbackAreAnnotationsOfThePool() throws Exception {
    createPool(KubectlPluginIT::configurations);

    assertThat(configured(0, "upgrade", POOL))
        .isEqualTo("nodepool/%s upgrade to next requested\n".formatted(POOL));
    assertThat(annotations()).isEqualTo(Map.of("nodepool.io/promote", "true"));
    assertThat(configured(0, "upgrade", POOL)).contains("nothing was written");
    assertThat(configured(1, "rollback", POOL)).contains("an upgrade is requested");
    accept("nodepool.io/promote", 1);
    assertThat(configured(1, "rollback", POOL, "broken")).contains("broken is disabled");
    assertThat(configured(1, "rollback", POOL, "unknown"))
        .contains("\"unknown\" is none of its revisions; revisions: broken (disabled), old, new");
    assertThat(configured(0, "rollback", POOL)).contains("rollback to old requested");
    assertThat(annotations()).containsEntry("nodepool.io/rollback", "old");
    report(status -> {
      status.pendingNodeConfiguration = null;
      return status;
    });
    assertThat(configured(1, "upgrade", POOL))
        .isEqualTo(
            "error: nodepool/%s: no configuration is pending; the active one is new\n"
                .formatted(POOL));
  }

  /** Accepts a command as the operator does: in one write, with its number. */
  private void accept(String command, int number) {
    ClientEdit.edited(
        pools(),
        stored -> {
          stored.getMetadata().getAnnotations().remove(command);
          stored
              .getMetadata()
              .getAnnotations()
              .put("nodepool.io/accepted-command", "{\"number\":%d}".formatted(number));
        });
  }

  private void carryOut(int number, String active) {
    report(status -> {
      status.nodeProfile = active;
      status.configuration = new PoolConfigurationStatus();
      status.configuration.command = number;
      return status;
    });
  }

  private void awaitAnnotation(String key) {
    Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> annotations().containsKey(key));
  }

  /** An operator that carries out a promotion, and refuses a rollback. */
  private void carryOutBoth() {
    awaitAnnotation("nodepool.io/promote");
    accept("nodepool.io/promote", 1);
    carryOut(1, "next");
    awaitAnnotation("nodepool.io/rollback");
    accept("nodepool.io/rollback", 2);
    carryOut(2, "next");
  }

  @Test
  void aCommandIsWaitedFor() throws Exception {
    createPool(KubectlPluginIT::configurations);
    // On a thread of its own: the client answers on those of the common pool.
    CompletableFuture<Void> operator =
        CompletableFuture.runAsync(this::carryOutBoth, task -> Thread.ofVirtual().start(task));

    assertThat(configured(0, "upgrade", POOL, "--wait", "--timeout=60s"))
        .endsWith("nodepool/%s upgraded to next\n".formatted(POOL));
    assertThat(configured(1, "rollback", POOL, "old", "--wait", "--timeout=60s"))
        .endsWith("error: nodepool/%s: carried out, but next is still active\n".formatted(POOL));
    operator.join();
  }

  @Test
  void aRolloutIsStartedWithSettingsAndStopped() throws Exception {
    createPool(KubectlPluginIT::configurations);

    assertThat(
            configured(
                0,
                "rollout",
                "start",
                POOL,
                "--max-unavailable=10%",
                "--canary=2",
                "--soak=10m",
                "--evict",
                "--yes"))
        .contains("rollout start requested");
    assertThat(annotations())
        .isEqualTo(
            Map.of(
                "nodepool.io/rollout", "start",
                "nodepool.io/rollout-max-unavailable", "10%",
                "nodepool.io/rollout-canary", "2",
                "nodepool.io/rollout-soak", "10m",
                "nodepool.io/rollout-evict", "true"));
    assertThat(configured(0, "rollout", "stop", POOL)).contains("rollout stop requested");
    assertThat(annotations()).containsEntry("nodepool.io/rollout", "stop");
    accept("nodepool.io/rollout", 1);
    carryOut(1, "new");
    assertThat(configured(1, "rollout", "stop", POOL)).contains("no rollout is under way");
    assertThat(configured(2, "rollout", "start", POOL, "--soak=x")).contains("is not a duration");
  }

  @Test
  void nodesThatRequireReconfigurationAreListed() throws Exception {
    createPool(KubectlPluginIT::configurations);
    boot(IDLE, "new");
    boot(BUSY, "old");

    assertThat(
            run(0, "get", POOL, "--requiring-reconfiguration")
                .lines()
                .map(line -> line.replaceAll(" +", " ")))
        .satisfiesExactly(
            header -> assertThat(header).endsWith("BOOTED WANTED STAGED"),
            node -> assertThat(node).startsWith(BUSY).endsWith("old new false"));
    assertThat(run(0, "get", POOL, IDLE)).contains(IDLE).doesNotContain(BUSY);
    assertThat(run(1, "get", POOL, "unknown"))
        .isEqualTo("error: node/unknown: NodePool %s has no such Node\n".formatted(POOL));
  }

  private void boot(String name, String configuration) {
    TestCluster.freeHost(admin, name);
    admin
        .resources(HostResource.class)
        .withName(name)
        .editStatus(host -> {
          host.getStatus().bootedConfiguration = configuration;
          return host;
        });
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
            "error: node/%s: work may end, and without a terminal nobody can be asked"
                .formatted(BUSY));
    assertThat(pending(BUSY)).isEmpty();

    assertThat(run(0, "reboot", "--force", BUSY)).contains("reboot requested (immediate)");
    assertThat(stored(BUSY).getMetadata().getAnnotations())
        .containsEntry("nodepool.io/reboot-policy", "Immediate");
  }

  @Test
  void aPoolIsPausedAndResumed() throws Exception {
    createPool(UnaryOperator.identity());

    assertThat(configured(0, "pause", "np/" + POOL))
        .isEqualTo("nodepool/%s paused\n".formatted(POOL));
    assertThat(annotations()).containsEntry("nodepool.io/paused", "true");
    assertThat(configured(0, "resume", POOL)).isEqualTo("nodepool/%s resumed\n".formatted(POOL));
    assertThat(annotations()).doesNotContainKey("nodepool.io/paused");
    assertThat(configured(1, "pause", POOL + "x"))
        .isEqualTo(
            "error: nodepools.compute.coreweave.com \"%1$sx\" not found; did you mean %1$s?\n"
                .formatted(POOL));
  }

  @Test
  void aHostThatWasSetAsideIsReleasedOnce() throws Exception {
    TestCluster.freeHost(admin, IDLE);
    Resource<HostResource> host = admin.resources(HostResource.class).withName(IDLE);
    ClientEdit.edited(
        host,
        stored -> {
          stored.getSpec().setAside = "bent pin";
          stored.getSpec().deliveryFailures = new HostSpec.DeliveryFailures();
          stored.getSpec().deliveryFailures.count = 3;
        });

    assertThat(configured(0, "host", "get", "--set-aside", "--no-headers"))
        .matches("(?s)%s .* bent pin .*".formatted(IDLE));
    assertThat(configured(0, "host", "release", IDLE, "--reason", "new pin"))
        .isEqualTo("host/%s released; it was set aside: bent pin\n".formatted(IDLE));
    assertThat(host.require().getSpec().setAside).isNull();
    assertThat(host.require().getSpec().deliveryFailures).isNull();
    String record =
        host.require().getMetadata().getAnnotations().get("fleet.nodepool.io/set-aside-ended");
    assertThat(record)
        .matches(
            "\\{\"at\":\"[^\"]+Z\",\"by\":\"[^\"]+\",\"reason\":\"new pin\",\"setAside\":\"bent pin\"}");
    assertThat(configured(0, "host", "release", IDLE))
        .isEqualTo("host/%s is not set aside; nothing was written\n".formatted(IDLE));
    assertThat(configured(1, "host", "release", "unknown"))
        .isEqualTo("error: host/unknown: hosts.fleet.nodepool.io \"unknown\" not found\n");
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

    assertThat(run(1, "drain", BUSY)).contains("nobody can be asked", "Pod default/work");
    assertThat(run(1, "drain", "--yes", BUSY)).contains("cannot evict Pods without a controller");
    assertThat(run(0, "drain", "--force", "--dry-run=client", BUSY))
        .contains("evicting pod default/work (dry run)", "drained (dry run)");
    assertThat(run(0, "drain", "--force", "--dry-run=server", BUSY))
        .contains("evicting pod default/work (server dry run)", "drained (server dry run)");
    assertThat(run(0, "drain", "--force", "--timeout=60s", BUSY))
        .isEqualTo(
            """
            node/%1$s already cordoned
            evicting pod default/work
            pod/work evicted
            node/%1$s drained
            node/%1$s will be cordoned and its Pods evicted. Work that may end on %1$s:
              %1$s: Pod default/work
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
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> names(folder).stream().allMatch(name -> name.endsWith(".aot")));

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
