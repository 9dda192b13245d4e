package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Reboots on a real cluster, requested as a public client does it (contract §12): by two JSON
 * patches, with rights on Nodes and nothing else.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RebootIT {
  private static final String TYPE = "turin-gp";
  private static final String TENANT = "reboot-tenant";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;
  private KubernetesClient tenant;

  RebootIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 12));
    centre.quotas.add(quota(TYPE, 12));
    Optional.ofNullable(centre.timings)
        .ifPresent(timings -> {
          timings.reboot = "1s";
          timings.verification = "1s";
        });
    fleet =
        new OperatedFleet(
            cluster, admin, PlanSettings.DEFAULTS.withSettle(Duration.ofSeconds(1)), centre);
    grant();
    tenant =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(admin.getConfiguration()).withImpersonateUsername(TENANT).build())
            .build();
  }

  private void grant() {
    admin
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(TENANT)
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources("nodes", "nodes/status")
                .withVerbs("get", "patch")
                .endRule()
                .build())
        .createOr(each -> each.update());
    admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(TENANT)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", TENANT)
                .addNewSubject("rbac.authorization.k8s.io", "User", TENANT, null)
                .build())
        .createOr(each -> each.update());
  }

  @AfterEach
  void leaveNoWork() {
    work.delete();
  }

  @AfterAll
  void end() {
    tenant.close();
    admin.rbac().clusterRoleBindings().withName(TENANT).delete();
    admin.rbac().clusterRoles().withName(TENANT).delete();
    fleet.close();
  }

  private void condition(String node, LifecycleState state) {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    tenant
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON),
            """
            [{"op": "add", "path": "/status/conditions/-", "value": {"type": "PendingPhaseState",
              "status": "True", "reason": "%s", "message": "the cache is stuck",
              "lastHeartbeatTime": "%s", "lastTransitionTime": "%s"}}]
            """
                .formatted(state.word(), now, now));
  }

  private void label(String node, LifecycleState state) {
    tenant
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON),
            """
            [{"op": "add", "path": "/metadata/labels/node.coreweave.cloud~1pending-state", "value": "%s"}]
            """
                .formatted(state.word()));
  }

  private Node node(String name) {
    return admin.nodes().withName(name).require();
  }

  private static List<NodeCondition> conditions(Node node, String type) {
    return node.getStatus().getConditions().stream()
        .filter(each -> each.getType().equals(type))
        .toList();
  }

  private static boolean isTrue(Node node, String type) {
    return conditions(node, type).stream().anyMatch(each -> each.getStatus().equals("True"));
  }

  private static String label(Node node, NodeLabels label) {
    return Optional.ofNullable(node.getMetadata().getLabels().get(label.key())).orElse("");
  }

  private static boolean isReserved(Node node) {
    return node.getSpec().getTaints().stream()
        .anyMatch(taint -> taint.getKey().equals(NodeTaints.RESERVED.key()));
  }

  /** The check list of contract §12. */
  private static boolean isBackOnAnotherBoot(Node node, String bootBefore) {
    return !node.getStatus().getNodeInfo().getBootID().equals(bootBefore)
        && !isTrue(node, "KernelDeadlock")
        && isTrue(node, "Ready")
        && label(node, NodeLabels.STATE).equals("production")
        && conditions(node, "PhaseState").stream()
            .allMatch(each -> each.getReason().equals("production"))
        && !Boolean.TRUE.equals(node.getSpec().getUnschedulable())
        && !isReserved(node)
        && label(node, NodeLabels.PENDING_STATE).isEmpty()
        && conditions(node, "PendingPhaseState").isEmpty();
  }

  private void isBack(String name, String bootBefore) {
    eventually(() -> assertThat(node(name)).matches(each -> isBackOnAnotherBoot(each, bootBefore)));
  }

  /** How many power cycles the machine has had, for whatever pool. */
  private int reboots(String name) {
    Integer reboots = fleet.host(name).getStatus().reboots;
    return reboots == null ? 0 : reboots;
  }

  private static String boot(Node node) {
    return node.getStatus().getNodeInfo().getBootID();
  }

  @Test
  void aClientsPowerResetRunsAsItWasObserved() {
    PoolUnderTest pool = fleet.pool("observed", TYPE, 1).isWell();
    String name = pool.nodes().toList().getFirst();
    work.bind("train", name);
    eventually(() -> assertThat(isTrue(node(name), "CWActive")).isTrue());
    String before = boot(node(name));
    int rebootsBefore = reboots(name);
    try (Watcher watcher = new Watcher()) {
      condition(name, LifecycleState.POWER_RESET);
      label(name, LifecycleState.POWER_RESET);
      eventually(() -> assertThat(watcher.facts(name)).contains("requested", "CWActive=True"));
      assertThat(conditions(node(name), "CWActive").getFirst().getMessage()).contains("train");
      admin.pods().inNamespace(Workloads.NAMESPACE).withName("train").delete();
      isBack(name, before);
      eventually(() -> assertThat(watcher.facts(name)).contains("not reserved", "not pending"));

      assertThat(watcher.facts(name))
          .containsSubsequence(
              "PendingPhaseState=production-powerreset",
              "requested",
              "CWActive=False",
              "cordoned",
              "state=production-powerreset",
              "reserved",
              "PhaseState=production-powerreset",
              "NLCCImmediateReboot=NLCCRedfishReboot",
              "another boot",
              "state=production again",
              "uncordoned",
              "not reserved",
              "not pending")
          .doesNotContain("cordoned while active");
    }
    assertThat(reboots(name)).isEqualTo(rebootsBefore + 1);
    pool.delete().isGone();
  }

  /** What the node problem detector reports about a Node. */
  private void detect(String name, boolean deadlock) {
    admin
        .nodes()
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            """
            {"status": {"conditions": [{"type": "KernelDeadlock", "status": "%s", "reason": "%s", "message": "%s",
              "lastHeartbeatTime": "%s", "lastTransitionTime": "%4$s"}]}}
            """
                .formatted(
                    deadlock ? "True" : "False",
                    deadlock ? "CPUSoftLockup" : "KernelHasNoDeadlock",
                    deadlock
                        ? "watchdog: BUG: soft lockup - CPU#7 stuck for 22s!"
                        : "kernel has no deadlock",
                    Instant.now().truncatedTo(ChronoUnit.SECONDS)));
  }

  /** The incident that a client recorded on the real thing (contract §12), in its order. */
  @Test
  void aKernelDeadlockIsRepairedAsItWasObserved() {
    PoolUnderTest pool = fleet.pool("deadlock", TYPE, 1).isWell();
    String name = pool.nodes().toList().getFirst();
    work.bind("train", name);
    eventually(() -> assertThat(isTrue(node(name), "CWActive")).isTrue());
    String before = boot(node(name));
    int rebootsBefore = reboots(name);
    try (Watcher watcher = new Watcher()) {
      // Conditions have whole seconds: what is told of the second of the boot may be from before.
      Instant grown = Instant.now();
      await().until(() -> Instant.now().truncatedTo(ChronoUnit.SECONDS).isAfter(grown));
      detect(name, true);
      eventually(
          () -> assertThat(watcher.facts(name)).contains("PendingPhaseState=production-reboot"));
      Node waiting = node(name);
      assertThat(waiting.getMetadata().getAnnotations())
          .containsEntry(
              "node.coreweave.cloud/cordonReason", "KernelDeadlock,NLCCPendingExitProduction");
      assertThat(conditions(waiting, "CWActive").getFirst().getMessage()).contains("train");
      assertThat(label(waiting, NodeLabels.STATE)).isEqualTo("production");
      admin.pods().inNamespace(Workloads.NAMESPACE).withName("train").delete();
      await()
          .atMost(Duration.ofMinutes(3))
          .until(() -> watcher.facts(name).contains("another boot"));
      detect(name, false);
      isBack(name, before);
      eventually(() -> assertThat(watcher.facts(name)).contains("not reserved"));

      assertThat(watcher.facts(name))
          .containsSubsequence(
              "KernelDeadlock",
              "cordoned",
              "PendingPhaseState=production-reboot",
              "CWActive=False",
              "state=production-reboot",
              "NLCCImmediateReboot=NLCCRedfishReboot",
              "another boot",
              "state=production again")
          .contains("reserved", "not reserved", "uncordoned", "cordoned while active");
    }
    assertThat(reboots(name)).isEqualTo(rebootsBefore + 1);
    pool.delete().isGone();
  }

  @Test
  void patchesThatAreSentTwiceAndInTheOtherOrderAreOneReboot() {
    PoolUnderTest pool = fleet.pool("twice", TYPE, 1).isWell();
    String name = pool.nodes().toList().getFirst();
    work.bind("train", name);
    eventually(() -> assertThat(isTrue(node(name), "CWActive")).isTrue());
    String before = boot(node(name));
    int rebootsBefore = reboots(name);
    label(name, LifecycleState.REBOOT);
    eventually(() -> assertThat(conditions(node(name), "PendingPhaseState")).hasSize(1));
    condition(name, LifecycleState.REBOOT);
    condition(name, LifecycleState.REBOOT);
    eventually(() -> assertThat(conditions(node(name), "PendingPhaseState")).hasSize(1));
    admin.pods().inNamespace(Workloads.NAMESPACE).withName("train").delete();
    isBack(name, before);

    assertThat(reboots(name)).isEqualTo(rebootsBefore + 1);
    String again = boot(node(name));
    condition(name, LifecycleState.POWER_RESET);
    label(name, LifecycleState.POWER_RESET);
    isBack(name, again);
    assertThat(reboots(name)).isEqualTo(rebootsBefore + 2);
    pool.delete().isGone();
  }

  @Test
  void nodesOfAPoolAreRebootedAsTheyBecomeIdle() {
    PoolUnderTest pool = fleet.pool("many", TYPE, 12).isWell();
    List<String> names = pool.nodes().sorted().toList();
    List<String> busy = names.subList(0, 6);
    List<String> idle = names.subList(6, 12);
    busy.forEach(name -> work.bind("train-" + name, name));
    eventually(() -> assertThat(busy).allMatch(name -> isTrue(node(name), "CWActive")));
    Map<String, String> boots = new ConcurrentHashMap<>();
    Map<String, Integer> rebootsBefore = new ConcurrentHashMap<>();
    names.forEach(name -> {
      boots.put(name, boot(node(name)));
      rebootsBefore.put(name, reboots(name));
    });
    try (Watcher watcher = new Watcher()) {
      names.forEach(name -> {
        condition(name, LifecycleState.REBOOT);
        label(name, LifecycleState.REBOOT);
      });
      idle.forEach(name -> isBack(name, boots.getOrDefault(name, "")));
      assertThat(busy).noneMatch(name -> watcher.facts(name).contains("cordoned"));
      assertThat(busy).allMatch(name -> boot(node(name)).equals(boots.get(name)));
      busy.forEach(
          name -> admin.pods().inNamespace(Workloads.NAMESPACE).withName("train-" + name).delete());
      busy.forEach(name -> isBack(name, boots.getOrDefault(name, "")));

      assertThat(names)
          .allSatisfy(
              name -> assertThat(watcher.facts(name)).doesNotContain("cordoned while active"));
    }
    assertThat(names)
        .allSatisfy(
            name -> assertThat(reboots(name)).isEqualTo(rebootsBefore.getOrDefault(name, 0) + 1));
    pool.delete().isGone();
  }

  /** What a client that watches Nodes sees of each, in the order in which it first happened. */
  private final class Watcher implements AutoCloseable {
    private final Map<String, String> boots = new ConcurrentHashMap<>();
    private final Map<String, List<String>> facts = new ConcurrentHashMap<>();
    private final SharedIndexInformer<Node> nodes =
        admin.nodes().inform(new SeenObjects<>(this::see));

    private void see(Node node) {
      String name = ObjectFacts.name(node);
      String first = boots.computeIfAbsent(name, _ -> boot(node));
      List<String> seen = facts.computeIfAbsent(name, _ -> new CopyOnWriteArrayList<>());
      Set<String> next = new LinkedHashSet<>();
      addIf(next, isTrue(node, "KernelDeadlock"), "KernelDeadlock");
      conditions(node, "PendingPhaseState")
          .forEach(each -> next.add("PendingPhaseState=" + each.getReason()));
      addIf(next, !label(node, NodeLabels.PENDING_STATE).isEmpty(), "requested");
      next.add("CWActive=" + (isTrue(node, "CWActive") ? "True" : "False"));
      boolean cordoned = Boolean.TRUE.equals(node.getSpec().getUnschedulable());
      addIf(next, cordoned, "cordoned");
      addIf(next, cordoned && isTrue(node, "CWActive"), "cordoned while active");
      String state = label(node, NodeLabels.STATE);
      boolean out = seen.stream().anyMatch(fact -> fact.startsWith("state=production-"));
      next.add("state=" + state + (out && state.equals("production") ? " again" : ""));
      conditions(node, "PhaseState").forEach(each -> next.add("PhaseState=" + each.getReason()));
      addIf(next, isReserved(node), "reserved");
      addIf(next, isTrue(node, "NLCCImmediateReboot"), "NLCCImmediateReboot=NLCCRedfishReboot");
      addIf(next, !boot(node).equals(first), "another boot");
      addIf(next, !cordoned && seen.contains("cordoned"), "uncordoned");
      addIf(next, !isReserved(node) && seen.contains("reserved"), "not reserved");
      addIf(
          next,
          conditions(node, "PendingPhaseState").isEmpty() && seen.contains("requested"),
          "not pending");
      next.stream().filter(fact -> !seen.contains(fact)).forEach(seen::add);
    }

    private static void addIf(Set<String> facts, boolean holds, String fact) {
      if (holds) {
        facts.add(fact);
      }
    }

    List<String> facts(String name) {
      return new ArrayList<>(facts.getOrDefault(name, List.of()));
    }

    @Override
    public void close() {
      nodes.close();
    }
  }
}
