package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static io.nodepool.kubernetes.api.NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.model.node.Disruption;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shrinking pools with real Deployments, DaemonSets, budgets and the real scheduler. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShrinkIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 40;

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  ShrinkIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterAll
  void end() {
    work.delete();
    fleet.close();
  }

  @Test
  void busyNodesRemainUnchangedUntilTheirWorkEnds() {
    PoolUnderTest pool = fleet.pool("idle-only", TYPE, 8).isWell();
    work.daemonSet("idle-only-agent", "idle-only", 8);
    List<String> busy = work.deployment("idle-only-work", "idle-only", 3);
    try (NodeHistory history = new NodeHistory(admin)) {
      pool.target(2)
          .reports(
              AtTargetReason.OVER_TARGET,
              "NodePool has 3 nodes, 1 more than its target of 2: 1 must wait for tenant workloads"
                  + " to end on 3 busy nodes: "
                  + String.join(", ", busy)
                  + ".")
          .emitted(EventReason.NODE_POOL_REMOVE_NODES, "Removing 5 Nodes", "the target is 2")
          .emitted(EventReason.NODE_CORDONED, "5 Nodes")
          .emitted(EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE, "5 Nodes")
          .emitted(EventReason.NODE_PREPARED_FOR_TERMINATE, "5 Nodes (", "prepared for termination")
          .emitted(EventReason.NODE_POOL_NODES_REMOVED, " removed; 3 left.")
          .neverEmitted(EventReason.NODE_POOL_SCALED_DOWN)
          .neverEmitted(EventReason.DRAIN_NODE);

      assertThat(pool.nodes()).containsExactlyInAnyOrderElementsOf(busy);
      history.assertUntouched(busy);
    }

    work.scale("idle-only-work", 0);
    pool.hasMet(2).emitted(EventReason.NODE_POOL_SCALED_DOWN, "its target of 2 Nodes");
    assertThat(pool.nodes()).hasSize(2).isSubsetOf(busy);
    assertThat(pool.events(EventReason.NODE_POOL_REMOVE_NODES)).hasSize(2);
    assertThat(pool.events(EventReason.NODE_POOL_NODES_REMOVED)).hasSize(2);
    assertThat(pool.count(EventReason.NODE_DELETED)).isEqualTo(6);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "qos.coreweave.cloud/interruptable",
        "qos.coreweave.cloud/graceful-interruptible",
        "qos.coreweave.com/graceful-interruptible"
      })
  void aPodThatMayBeInterruptedKeepsNoNode(String label) {
    PoolUnderTest pool = fleet.pool("interrupted", TYPE, 2).isWell();
    List<String> busy = work.deployment("kept", "interrupted", 1);
    work.bind("cheap", left(pool.nodes().toList(), busy).getFirst(), 1, Map.of(label, "true"));
    eventually(() -> assertThat(work.running("cheap")).hasSize(1));

    pool.target(0).reports(AtTargetReason.OVER_TARGET, "1 busy node: " + busy.getFirst());
    eventually(() -> assertThat(pool.nodes()).containsExactlyElementsOf(busy));

    work.delete();
    pool.hasMet(0).delete().isGone();
  }

  @Test
  void aPoolThatPrefersIdleNodesDrainsBusyOnesForTheRest() {
    PoolUnderTest pool = fleet.pool("prefer-idle", TYPE, 8).strategy(PREFER_IDLE).isWell();
    work.daemonSet("prefer-idle-agent", "prefer-idle", 8);
    List<String> busy = work.deployment("prefer-idle-work", "prefer-idle", 3);
    try (NodeHistory history = new NodeHistory(admin);
        PodHistory pods = new PodHistory(admin)) {
      pool.target(2)
          .hasMet(2)
          .emitted(EventReason.NODE_POOL_REMOVE_NODES, "Removing 6 Nodes")
          .emitted(EventReason.DRAIN_NODE, "Draining")
          .emitted(EventReason.NODE_DRAINING, "being drained")
          .emitted(EventReason.NODE_POOL_SCALED_DOWN, "its target of 2 Nodes")
          .neverEmitted(EventReason.NODE_DRAINING_PDB_VIOLATION)
          .neverEmitted(EventReason.NODE_DRAINING_FORCE_DELETE);

      assertThat(pool.nodes()).hasSize(2).isSubsetOf(busy);
      String drained = left(busy, pool.nodes().toList()).getFirst();
      assertThat(events(history.uid(drained), EventReason.NODE_DRAINING)).hasSize(1);
      assertThat(history.messages(drained, NodeRemovalReason.DRAINING))
          .singleElement()
          .asString()
          .contains("1 Pod left: Deployment default/prefer-idle-work");
      assertThat(pods.evicted("prefer-idle-work"))
          .hasSize(1)
          .containsExactlyInAnyOrderElementsOf(pods.deleted("prefer-idle-work"));
      assertThat(pods.evicted("prefer-idle-agent")).isEmpty();
      assertThat(work.nodes("prefer-idle-work")).hasSize(2);
    }
  }

  @Test
  void aNodeDrainedByAUserIsRemovedFirst() throws Exception {
    PoolUnderTest pool = fleet.pool("drained", TYPE, 5).isWell();
    work.daemonSet("drained-agent", "drained", 5);
    // Without the drain, the newest would be removed.
    List<String> oldest =
        pool.nodes()
            .sorted(Comparator.comparing(node -> fleet.assignedAt(node)))
            .limit(2)
            .sorted()
            .toList();
    try (NodeHistory history = new NodeHistory(admin)) {
      Kubectl.drain(cluster, admin, oldest);

      pool.target(3)
          .hasMet(3)
          .emitted(EventReason.NODE_POOL_REMOVE_NODES, String.join(", ", oldest));

      assertThat(pool.nodes()).doesNotContainAnyElementsOf(oldest);
      assertThat(pool.nodes())
          .allSatisfy(node ->
              assertThat(history.of(node)).noneMatch(seen -> seen.disruption().isPresent()));
      assertThat(oldest).allSatisfy(node -> assertThat(ownCordons(history, node)).isEmpty());
    }
  }

  private static List<Disruption.Admitted> ownCordons(NodeHistory history, String node) {
    return history.of(node).stream()
        .flatMap(seen -> seen.disruption().stream())
        .flatMap(removal ->
            removal instanceof Disruption.Admitted marked
                    && marked.cordon() == Disruption.Cordon.OURS
                ? Stream.of(marked)
                : Stream.of())
        .toList();
  }

  @Test
  void aBudgetThatIsNeverMetBlocksOnlyItsNodeUntilTheDeadline() {
    fleet.restart(PlanSettings.DEFAULTS.withDrainDeadline(Duration.ofSeconds(20)));
    PoolUnderTest pool = fleet.pool("guarded", TYPE, 2).strategy(PREFER_IDLE).isWell();
    String guarded = work.deployment("guarded-work", "guarded", 1).getFirst();
    String other = work.deployment("free-work", "guarded", 1).getFirst();
    String guardedUid = uid(guarded);
    work.neverEvict("guarded-work");
    String pod = ObjectFacts.name(work.running("guarded-work").getFirst());
    try (NodeHistory history = new NodeHistory(admin);
        PodHistory pods = new PodHistory(admin)) {
      pool.target(0);

      OperatedFleet.eventually(() ->
          assertThat(history.messages(guarded, NodeRemovalReason.BLOCKED_BY_BUDGET))
              .singleElement()
              .asString()
              .contains("default/%s (guarded-work-budget)".formatted(pod)));
      assertThat(admin.nodes().withName(guarded).require().getStatus().getConditions())
          .filteredOn(condition -> condition.getType().equals("CWNodeRemoval"))
          .extracting(NodeCondition::getStatus)
          .containsExactly("True");
      assertThat(events(guardedUid, EventReason.NODE_DRAINING_PDB_VIOLATION)).hasSize(1);
      OperatedFleet.eventually(() -> assertThat(pool.nodes()).doesNotContain(other));

      pool.hasMet(0)
          .emitted(EventReason.NODE_DRAINING_PDB_VIOLATION, guarded)
          .emitted(EventReason.NODE_DRAINING_FORCE_DELETE, guarded);
      assertThat(events(guardedUid, EventReason.NODE_DRAINING_FORCE_DELETE)).hasSize(1);
      assertThat(history.messages(guarded, NodeRemovalReason.FORCED)).hasSize(1);
      assertThat(history.messages(other, NodeRemovalReason.BLOCKED_BY_BUDGET)).isEmpty();
      assertThat(pods.evicted("guarded-work")).isEmpty();
      assertThat(pods.deleted("guarded-work")).contains(pod);
    } finally {
      fleet.restart(PlanSettings.DEFAULTS);
    }
  }

  @Test
  void aPodThatDoesNotEndAndAnAttachedVolumeBlockOnlyTheirNodes() {
    PoolUnderTest pool = fleet.pool("stuck", TYPE, 4).strategy(PREFER_IDLE).isWell();
    List<String> nodes = pool.nodes().toList();
    String endless = nodes.getFirst();
    String attached = nodes.getLast();
    work.bind("stuck-work", endless, Duration.ofHours(1).toSeconds());
    eventually(() -> assertThat(work.running("stuck-work")).hasSize(1));
    work.attachVolumes(attached, 1);
    try (NodeHistory history = new NodeHistory(admin)) {
      pool.target(0);
      OperatedFleet.eventually(
          () -> assertThat(pool.nodes()).containsExactlyInAnyOrder(endless, attached));
      OperatedFleet.eventually(() -> {
        assertThat(history.messages(attached, NodeRemovalReason.DETACHING))
            .singleElement()
            .asString()
            .contains("1 volume is still attached");
        assertThat(history.messages(endless, NodeRemovalReason.DRAINING)).isNotEmpty();
      });

      work.attachVolumes(attached, 0);
      OperatedFleet.eventually(() -> assertThat(pool.nodes()).containsExactly(endless));
      admin
          .pods()
          .inNamespace(Workloads.NAMESPACE)
          .withName("stuck-work")
          .withGracePeriod(0)
          .delete();
      pool.hasMet(0);
      assertThat(Set.copyOf(history.messages(endless, NodeRemovalReason.FORCED))).isEmpty();
    }
  }

  /** The UID of a Node. Machines are reused, so its name does not identify it. */
  private String uid(String node) {
    return ObjectFacts.uid(admin.nodes().withName(node).require());
  }

  private List<Event> events(String nodeUid, EventReason reason) {
    return fleet.events(about -> nodeUid.equals(about.getUid()), reason);
  }

  private static List<String> left(List<String> before, List<String> now) {
    return before.stream().filter(each -> !now.contains(each)).toList();
  }
}
