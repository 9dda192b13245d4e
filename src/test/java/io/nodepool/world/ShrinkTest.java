package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ShrinkTest {
  private final Drill drill = Drill.calm(11);

  private List<Node> grown(int nodes) {
    drill.pool("a").target(nodes);
    drill.toRest();
    return drill.pool("a").nodes();
  }

  private List<String> names() {
    return drill.pool("a").nodes().stream().map(Node::name).toList();
  }

  private Pod work(Node node) {
    return drill.world.cluster().bindPod("default", "work", node.name(), "ReplicaSet");
  }

  private Node node(String name) {
    return Optional.ofNullable(drill.world.cluster().nodes().get(name)).orElseThrow();
  }

  private Pod seen(Pod pod) {
    return Optional.ofNullable(drill.world.cluster().pods().get(pod.uid())).orElseThrow();
  }

  private int of(String write) {
    return drill.world.cluster().appliedWrites().of(write);
  }

  private void label(Node node, NodeLabels label, String value) {
    drill.world.cluster().nodeClients().label(node.name(), label.key(), Optional.of(value));
  }

  private void taint(Node node, NodeTaints taint) {
    drill
        .world
        .cluster()
        .nodeClients()
        .metadata(
            node.name(),
            metadata ->
                metadata.withTaints(
                    Stream.concat(
                            metadata.taints().stream(),
                            Stream.of(new Taint(taint.key(), "1", taint.effect().word())))
                        .toList()));
  }

  @Test
  void idleNodesAreRemovedAndBusyOnesAreNeverCordoned() {
    List<Node> nodes = grown(5);
    nodes.subList(0, 3).forEach(this::work);
    drill.toRest().pool("a").target(1);
    drill.toRest();

    assertThat(names()).containsExactlyElementsOf(nodes.stream().limit(3).map(Node::name).toList());
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned);
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .isEqualTo(
            "NodePool has 3 nodes, 2 more than its target of 1: 2 must wait for tenant workloads to end on 3 busy nodes: "
                + String.join(", ", names())
                + ".");
    assertThat(of("mark Node")).isEqualTo(2);
    assertThat(drill.emitted(EventReason.NODE_POOL_REMOVE_NODES)).isEqualTo(2);
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REMOVED)).isEqualTo(2);
    assertThat(drill.emitted(EventReason.NODE_DELETED)).isEqualTo(2);
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_DOWN)).isZero();
  }

  @Test
  void aNodeWhoseMachineIsStoppedIsNotReportedAsOutOfDate() {
    Drill hasty = Drill.calm(12);
    hasty.pool("a").target(4).toRest();
    Set<String> said = new TreeSet<>();
    hasty
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.POOLS,
            seen ->
                said.add(
                    hasty.pool("a").conditions().getOrDefault("NodeReconfigurationRequired", "")));
    hasty.pool("a").target(1).toRest();

    assertThat(hasty.pool("a").nodes()).hasSize(1);
    assertThat(said).containsExactly("AllNodesUpToDate");
  }

  @Test
  void aTargetThatIsReachedBeforeAStatusReportedTheDeviationIsReported() {
    grown(3);
    drill
        .world
        .apiOutages()
        .refuse(
            Action.PublishStatus.class::isInstance, ApiOutages.Refusal.BUSY, Duration.ofMinutes(2));
    drill.pool("a").target(2);
    drill.toRest();

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_DOWN)).isEqualTo(1);
  }

  @Test
  void aBusyNodeIsRemovedWhenItsWorkEnds() {
    List<Node> nodes = grown(2);
    Pod work = work(nodes.getFirst());
    work(nodes.getLast());
    drill.toRest().pool("a").target(1);
    drill.toRest();
    assertThat(names()).hasSize(2);

    drill.world.cluster().deletePod(work.uid(), drill.world.instant());
    drill.toRest();

    assertThat(names()).containsExactly(nodes.getLast().name());
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_DOWN)).isEqualTo(1);
  }

  @Test
  void anIdleNodeCostsSevenWritesBesidesEvents() {
    grown(3);
    int before = drill.world.cluster().appliedWrites().total() - of("publish status");
    drill.pool("a").target(2);
    drill.toRest();

    assertThat(names()).hasSize(2);
    assertThat(drill.world.cluster().appliedWrites().total() - of("publish status") - before)
        .isEqualTo(7);
  }

  @Test
  void aPoolThatPrefersIdleNodesDrainsTheLeastBusyOnes() {
    List<Node> nodes = grown(3);
    work(nodes.get(0));
    work(nodes.get(0));
    work(nodes.get(1));
    work(nodes.get(1));
    Pod least = work(nodes.get(2));
    drill.toRest().pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE).pool("a").target(2);
    drill.toRest();

    assertThat(names()).containsExactly(nodes.get(0).name(), nodes.get(1).name());
    assertThat(drill.world.cluster().pods()).doesNotContainKey(least.uid());
    assertThat(of("evict Pod")).isEqualTo(1);
    assertThat(of("delete Pod")).isZero();
  }

  @Test
  void queuedAndBootingMachinesAreCancelledBeforeAnyRegisteredNodeIsRemoved() {
    grown(2);
    drill.pool("a").target(6).advance(1, MINUTES).pool("a").target(2);
    drill.toRest();

    assertThat(of("cancel Host")).isEqualTo(4);
    assertThat(of("mark Node")).isZero();
  }

  @Test
  void aNodeThatAClientChoseIsRemovedBeforeOthersAndTheRequestIsReported() {
    List<Node> nodes = grown(4);
    label(nodes.get(2), NodeLabels.REMOVE_NODE, "true");
    drill.advance(1, MINUTES);
    assertThat(node(nodes.get(2).name()).disruption())
        .get()
        .isInstanceOf(Disruption.Requested.class);
    assertThat(drill.emitted(EventReason.NODE_DELETION_REQUEST_SUCCESS)).isEqualTo(1);
    assertThat(names()).hasSize(4);

    drill.pool("a").target(3);
    drill.toRest();

    assertThat(names()).hasSize(3).doesNotContain(nodes.get(2).name());
    assertThat(drill.emitted(EventReason.NODE_DELETION_REQUEST_SUCCESS)).isEqualTo(1);
  }

  @Test
  void aWithdrawnRequestLeavesNoTrace() {
    List<Node> nodes = grown(2);
    label(nodes.getFirst(), NodeLabels.REMOVE_NODE, "true");
    drill.advance(1, MINUTES);
    label(nodes.getFirst(), NodeLabels.REMOVE_NODE, "false");
    drill.toRest();

    assertThat(node(nodes.getFirst().name()).disruption()).isEmpty();
  }

  @Test
  void anAdmittedBusyNodeHoldsItsPlace() {
    List<Node> nodes = grown(3);
    work(nodes.getFirst());
    taint(nodes.getFirst(), NodeTaints.AUTOSCALER_DELETION);
    drill.toRest().pool("a").target(2);
    drill.toRest();

    assertThat(names()).hasSize(3);
    assertThat(of("mark Node")).isZero();
  }

  @Test
  void onlyTheAutoscalersNodeIsRemoved() {
    List<Node> nodes = grown(3);
    taint(nodes.get(1), NodeTaints.AUTOSCALER_DELETION);
    drill.world.cluster().nodeClients().cordon(nodes.get(1).name(), true);
    drill.pool("a").target(2);
    drill.toRest();

    assertThat(names()).containsExactly(nodes.get(0).name(), nodes.get(2).name());
  }

  @Test
  void aNodeThatAnotherClientCordonedIsRemovedBeforeOtherIdleOnes() {
    List<Node> nodes = grown(4);
    drill.world.cluster().nodeClients().cordon(nodes.get(2).name(), true);
    drill.advance(1, MINUTES).pool("a").target(3);
    drill.toRest();

    assertThat(names()).doesNotContain(nodes.get(2).name());
    assertThat(drill.events(EventReason.NODE_CORDONED).filter(ShrinkTest::isOnNode)).isEmpty();
  }

  private static boolean isOnNode(WorldCluster.EventRecord event) {
    return event.eventDraft().regarding().kind() == EventTarget.NODE;
  }

  @Test
  void aRisingTargetTakesBackRemovalsThatAreNotDrainedYet() {
    List<Node> nodes = grown(3);
    drill.pool("a").target(1).advance(3, SECONDS);
    assertThat(drill.pool("a").nodes()).filteredOn(Node::cordoned).hasSize(2);

    drill.pool("a").target(3);
    drill.toRest();

    assertThat(drill.pool("a").nodes())
        .hasSize(3)
        .noneMatch(Node::cordoned)
        .noneMatch(Node::isTerminating);
    assertThat(names()).containsExactlyElementsOf(nodes.stream().map(Node::name).toList());
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aNodeThatGetsWorkAfterItsCordonIsUncordonedAndAnotherIsRemoved() {
    List<Node> nodes = grown(2);
    drill.pool("a").target(1).advance(3, SECONDS);
    Node chosen = drill.pool("a").nodes().stream().filter(Node::cordoned).findFirst().orElseThrow();
    work(chosen);
    drill.toRest();

    assertThat(names()).containsExactly(chosen.name());
    assertThat(node(chosen.name()).cordoned()).isFalse();
    assertThat(names()).isSubsetOf(nodes.stream().map(Node::name).toList());
  }

  @Test
  void aBudgetThatIsNeverMetIsReportedAndOverriddenAtTheDeadlineWhichARestartDoesNotMove() {
    List<Node> nodes = grown(2);
    Pod guarded = work(nodes.getFirst());
    drill.world.cluster().workloads().guard(guarded.uid());
    drill
        .toRest()
        .pool("a")
        .strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE)
        .pool("a")
        .target(0)
        .advance(20, SECONDS);

    Node blocked = node(nodes.getFirst().name());
    assertThat(blocked.removing().orElseThrow().reason())
        .isEqualTo(NodeRemovalReason.BLOCKED_BY_BUDGET);
    assertThat(blocked.removing().orElseThrow().message())
        .contains("default/work (guard)", "deleted at");
    assertThat(drill.events(EventReason.NODE_DRAINING_PDB_VIOLATION)).isNotEmpty();
    Instant forceAt = ((Disruption.Committed) blocked.disruption().orElseThrow()).forceAt();

    drill.advance(10, MINUTES);
    assertThat(names()).containsExactly(nodes.getFirst().name());
    int said = of("report removal");
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(10, MINUTES);
    assertThat(of("report removal")).isEqualTo(said);
    assertThat(((Disruption.Committed) node(blocked.name()).disruption().orElseThrow()).forceAt())
        .isEqualTo(forceAt);
    assertThat(drill.world.cluster().pods()).containsKey(guarded.uid());

    drill.world.advance(Duration.between(drill.world.instant(), forceAt).plusMinutes(2));
    drill.toRest();
    assertThat(names()).isEmpty();
    assertThat(drill.events(EventReason.NODE_DRAINING_FORCE_DELETE)).isNotEmpty();
  }

  @Test
  void systemCriticalPodsAreEvictedLastAndPodsOfDaemonSetsNever() {
    List<Node> nodes = grown(1);
    WorldPods pods = drill.world.cluster().workloads();
    String name = nodes.getFirst().name();
    Pod critical = pods.bind("default", "system", name, "ReplicaSet", Pod.Interruption.NONE, true);
    Pod ordinary =
        pods.bind("default", "batch", name, "ReplicaSet", Pod.Interruption.GRACEFUL, false);
    Pod daemon = pods.bind("default", "agent", name, "DaemonSet", Pod.Interruption.NONE, false);
    drill.pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    drill.toRest().pool("a").target(0).advance(15, SECONDS);

    assertThat(seen(ordinary).deletedAt()).isPresent();
    assertThat(seen(critical).deletedAt()).isEmpty();
    assertThat(seen(daemon).deletedAt()).isEmpty();

    drill.advance(30, SECONDS);
    assertThat(seen(critical).deletedAt()).isPresent();
    drill.toRest();
    assertThat(names()).isEmpty();
    assertThat(of("evict Pod")).isEqualTo(1);
    assertThat(of("delete Pod")).isEqualTo(1);
  }

  @Test
  void aPoolThatIsDeletedSaysThatItsNodesAreRemovedBeforeItGoes() {
    grown(2);
    List<String> said = new ArrayList<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.POOLS,
            seen -> {
              if (seen instanceof Observation.PoolSeen(Pool pool)) {
                pool.status()
                    .condition(PoolCondition.NODES_REMOVED)
                    .map(condition -> condition.reason().word())
                    .ifPresent(said::add);
              }
            });
    drill.pool("a").delete();
    drill.toRest();

    assertThat(drill.world.cluster().pools()).isEmpty();
    assertThat(said.stream().distinct().map(word -> "NodesRemoved " + word))
        .containsExactly("NodesRemoved Pending", "NodesRemoved Complete");
  }

  @Test
  void aPoolThatIsDeletedWaitsForItsBusyNodesUnlessItPrefersIdleOnes() {
    List<Node> nodes = grown(3);
    work(nodes.getFirst());
    drill.toRest().pool("a").delete();
    drill.toRest();

    assertThat(names()).containsExactly(nodes.getFirst().name());
    assertThat(drill.pool("a").conditions())
        .containsEntry("AtTarget", "PendingDelete")
        .containsEntry("NodesRemoved", "Pending");
    assertThat(drill.pool("a").message(PoolCondition.NODES_REMOVED))
        .contains("1 must wait for tenant workloads to end on 1 busy node: " + names().getFirst());

    drill.pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    drill.toRest();
    assertThat(drill.world.cluster().pools()).isEmpty();
    assertThat(drill.world.cluster().nodes()).isEmpty();
  }

  @Test
  void nodesOfAPoolWhoseFinalizerWasRemovedAreDrainedAndReleased() {
    List<Node> nodes = grown(3);
    work(nodes.getFirst());
    drill.pool("a").target(5).advance(1, MINUTES).pool("a").delete();
    drill.world.cluster().stripFinalizer("a");
    drill.toRest();

    assertThat(drill.world.cluster().nodes()).isEmpty();
    assertThat(drill.world.cluster().hosts().values())
        .allMatch(host -> host.assignment().isEmpty());
    assertThat(drill.events(EventReason.NODE_DRAINING)).hasSize(1);
  }

  @Test
  void aNodeThatDisappearsDuringItsRemovalIsNoObstacle() {
    List<Node> nodes = grown(3);
    drill.pool("a").target(1).advance(3, SECONDS);
    drill.pool("a").nodes().stream()
        .filter(Node::cordoned)
        .findFirst()
        .ifPresent(node -> drill.world.cluster().nodeClients().delete(node.name()));
    drill.toRest();

    assertThat(names()).hasSize(1).isSubsetOf(nodes.stream().map(Node::name).toList());
    assertThat(drill.pool("a").hosts()).hasSize(1);
  }
}
