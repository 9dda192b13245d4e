package io.nodepool.world;

import static io.nodepool.vocabulary.EventReason.DELETED_FOR_PREEMPTION;
import static io.nodepool.vocabulary.EventReason.NODE_UNCORDONED;
import static io.nodepool.vocabulary.EventReason.PREEMPTION_IN_PROGRESS;
import static io.nodepool.vocabulary.EventReason.PREEMPTION_PENDING;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.NodeTimeline.Fact;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Tests a fleet's notice, and its withdrawal, at each stage of a machine (decisions D135, D138 and
 * D140).
 */
class PreemptionStagesTest {
  private static final Duration STOP = Duration.ofMinutes(7);

  private Drill drill = Drill.calm(41);

  private Drill.PoolDrill pool() {
    return drill.pool("a");
  }

  /** A spot pool with as many registered Nodes as machines are offered to it. */
  private Node grown(int nodes) {
    offerOnly(nodes);
    pool().spot(nodes).toRest();
    return pool().nodes().getFirst();
  }

  private void offerOnly(int machines) {
    Drill.machines(Drill.GPU).stream()
        .skip(machines)
        .forEach(host -> drill.world.cluster().fleetOwner().offerSpot(host, false));
  }

  private Pod work(Node node) {
    return drill.world.cluster().bindPod("default", "train", node.name(), "ReplicaSet");
  }

  private Optional<Node> now(Node node) {
    return Optional.ofNullable(drill.world.cluster().nodes().get(node.name()))
        .filter(seen -> seen.uid().equals(node.uid()));
  }

  private Host host(String name) {
    return Optional.ofNullable(drill.world.cluster().hosts().get(name)).orElseThrow();
  }

  /** The kubelet stops before the Node can be registered. */
  private void silence(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node node) && node.ready()) {
      drill.world.cluster().nodeClients().ready(node.name(), false);
    }
  }

  private void until(BooleanSupplier what) {
    for (int i = 0; i < 100_000 && !what.getAsBoolean(); i++) {
      drill.advance(100, MILLIS);
    }
    assertThat(what.getAsBoolean()).isTrue();
  }

  private void untilAdmitted(Node node) {
    until(() -> now(node).flatMap(Node::disruption).orElse(null) instanceof Disruption.Admitted);
  }

  private void untilDraining(Node node) {
    until(() -> now(node).filter(Node::isDraining).isPresent());
  }

  private Disruption.Committed committed(Node node) {
    return (Disruption.Committed) now(node).flatMap(Node::disruption).orElseThrow();
  }

  private NodeTimeline preempt(Node node) {
    NodeTimeline timeline = new NodeTimeline(drill, node);
    drill.reclaim(node.name());
    return timeline;
  }

  private int met(Situation situation) {
    return drill.world.situations().counts().getOrDefault(situation, 0);
  }

  /** The Node stays, and nothing on it says that it was to be preempted. */
  private void stays(Node node) {
    Node seen = now(node).orElseThrow();
    assertThat(seen.cordoned() || seen.isTerminating()).isFalse();
    assertThat(seen.metadata().labels())
        .doesNotContainKeys(NodeLabels.PENDING_PREEMPTION.key(), NodeLabels.EVICTED_AT.key());
    assertThat(seen.metadata().annotations())
        .doesNotContainKey(NodeAnnotations.CORDON_REASON.key());
    assertThat(seen.removing()).isEmpty();
    assertThat(
            drill
                .events(NODE_UNCORDONED)
                .filter(event -> event.eventDraft().regarding().uid().equals(node.uid())))
        .hasSize(1);
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void anAssignmentWhoseMachineHasNotBootedIsCancelled() {
    offerOnly(1);
    pool().spot(1).advance(5, MINUTES);
    String machine = pool().hosts().getFirst().id().name();
    drill.reclaim(machine).toRest();

    assertThat(pool().hosts()).isEmpty();
    assertThat(drill.world.cluster().appliedWrites().of("cancel Host")).isEqualTo(1);
    assertThat(pool().seen().status().counts().queued()).isEqualTo(1);
    assertThat(met(Situation.PREEMPTED_WHILE_BOOTING)).isEqualTo(1);

    drill.withdraw(machine).toRest();
    assertThat(pool().nodes()).hasSize(1);
    assertThat(pool().conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aMachineThatBootedAndHasNoNodeIsPoweredOffAfterALiveRead() {
    String machine = Drill.machines(Drill.GPU).getFirst();
    DataCentre broken =
        Drill.dataCentre()
            .withMishaps(DataCentre.Mishaps.NONE.withNeverJoin(new TreeSet<>(Set.of(machine))));
    drill = Drill.with(41, broken, Faults.NONE, OperatorOverrides.AS_BUILT);
    offerOnly(1);
    pool().spot(1);
    until(() -> host(machine).is(HostPhase.RUNNING));
    drill.advance(1, MINUTES);
    List<String> trace = new ArrayList<>();
    drill.world.trace(trace::add);
    drill.reclaim(machine).advance(5, SECONDS);

    assertThat(host(machine).assignment()).isEmpty();
    assertThat(host(machine).deliveries().failure()).isEmpty();
    assertThat(drill.world.cluster().appliedWrites().of("stop Host")).isEqualTo(1);
    assertThat(trace).anyMatch(line -> line.contains(" ReadMachine"));
    assertThat(met(Situation.PREEMPTED_WHILE_BOOTING)).isEqualTo(1);
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isZero();

    drill.withdraw(machine).advance(10, MINUTES);
    assertThat(host(machine).tenancy()).isEqualTo(2);
  }

  @Test
  void aNodeThatIsNotRegisteredHasTheSameTimeline() {
    offerOnly(1);
    pool().spot(1);
    drill.world.cluster().watch(WorldCluster.Kind.NODES, this::silence);
    until(() -> !pool().nodes().isEmpty());
    Node node = pool().nodes().getFirst();
    assertThat(node.registered()).isFalse();
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    timeline.happened(Duration.ZERO, Fact.CORDONED, Fact.LABELLED, PREEMPTION_PENDING);
    timeline.happened(Duration.ofMinutes(2), Fact.POWERED_OFF, PREEMPTION_IN_PROGRESS);
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void anIdleNodeWhoseNoticeIsWithdrawnStays() {
    Node node = grown(1);
    NodeTimeline timeline = preempt(node);
    drill.advance(110, SECONDS).withdraw(node.name()).toRest();

    stays(node);
    timeline.without(Fact.COMMITTED, PREEMPTION_IN_PROGRESS, DELETED_FOR_PREEMPTION);
    assertThat(met(Situation.NOTICE_WITHDRAWN_WHILE_ADMITTED)).isEqualTo(1);
  }

  @Test
  void aBusyNodeWhoseNoticeIsWithdrawnStaysAndMayBePreemptedAgain() {
    Node node = grown(1);
    work(node);
    preempt(node);
    drill.advance(60, SECONDS).withdraw(node.name()).advance(60, SECONDS);
    assertThat(now(node).orElseThrow().cordoned()).isFalse();

    NodeTimeline again = preempt(node);
    drill.advance(119, SECONDS);
    again.without(Fact.COMMITTED).happened(Duration.ZERO, Fact.CORDONED, Fact.LABELLED);
    drill.toRest();
    assertThat(drill.preemptionEvents(node.uid()))
        .containsExactly(
            "Preemption pending 1",
            "Preemption pending 1",
            "Preemption in progress 1",
            "Deleted for preemption 1");
  }

  @Test
  void aNodeWhoseNoticeIsWithdrawnDuringTheDrainLeavesAllTheSame() {
    Node node = grown(1);
    drill.world.cluster().workloads().guard(work(node).uid());
    NodeTimeline timeline = preempt(node);
    drill.advance(3, MINUTES).withdraw(node.name()).toRest();

    assertThat(now(node)).isEmpty();
    assertThat(timeline.at(Fact.POWERED_OFF)).isLessThanOrEqualTo(STOP.plusSeconds(2));
    timeline.hasTheThreeEventsOnce();
    assertThat(met(Situation.NOTICE_WITHDRAWN_WHILE_DRAINING)).isEqualTo(1);
    assertThat(pool().nodes()).hasSize(1);
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aScaleDownThatAdmittedTheNodeWithdrawsAndThePreemptionStays() {
    grown(2);
    pool().spot(1);
    until(() -> pool().nodes().stream().anyMatch(Node::isTerminating));
    Node node = pool().nodes().stream().filter(Node::isTerminating).findFirst().orElseThrow();
    untilAdmitted(node);
    NodeTimeline timeline = preempt(node);
    drill.advance(5, SECONDS);

    Disruption.Active active = now(node).flatMap(Node::disruption).orElseThrow().active().get();
    assertThat(active.leaves() && !active.isRemoval()).isTrue();
    assertThat(now(node).orElseThrow().metadata().annotations())
        .containsEntry(NodeAnnotations.CORDON_REASON.key(), "Preemption");
    drill.toRest();
    timeline.happened(Duration.ofMinutes(2), Fact.POWERED_OFF);
    timeline.hasTheThreeEventsOnce();
    assertThat(pool().nodes()).hasSize(1);
    assertThat(met(Situation.PREEMPTED_WHILE_ADMITTED)).isEqualTo(1);
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void anAdmittedNodeWhoseNoticeIsWithdrawnLeavesForTheScaleDown() {
    grown(2);
    pool().spot(1);
    until(() -> pool().nodes().stream().anyMatch(Node::isTerminating));
    Node node = pool().nodes().stream().filter(Node::isTerminating).findFirst().orElseThrow();
    preempt(node);
    drill.advance(30, SECONDS).withdraw(node.name()).toRest();

    assertThat(pool().nodes()).hasSize(1);
    assertThat(pool().conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aDrainForAScaleDownIsTightenedAndNeverLoosened() {
    Node node = grown(1);
    pool().strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    drill.world.cluster().workloads().guard(work(node).uid());
    drill.advance(1, MINUTES).pool("a").spot(0);
    untilDraining(node);
    Disruption.Committed before = committed(node);
    NodeTimeline timeline = preempt(node);
    Instant notice = drill.world.instant();
    drill.advance(5, SECONDS);

    assertThat(before.limits().stopAt()).isEmpty();
    assertThat(committed(node).limits().stopAt()).contains(notice.plus(STOP));
    assertThat(committed(node).forceAt()).isEqualTo(notice.plus(STOP).minusSeconds(30));
    assertThat(committed(node).causes()).hasSize(2);
    timeline.happened(Duration.ZERO, PREEMPTION_PENDING, Fact.LABELLED);

    drill.withdraw(node.name()).advance(1, MINUTES).reclaim(node.name()).advance(5, SECONDS);
    assertThat(committed(node).limits().stopAt()).contains(notice.plus(STOP));
    drill.toRest();
    assertThat(timeline.at(Fact.POWERED_OFF)).isLessThanOrEqualTo(STOP.plusSeconds(2));
    assertThat(met(Situation.PREEMPTED_WHILE_DRAINING)).isEqualTo(2);
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aDrainForAScaleDownReportsTheStagesOfThePreemption() {
    Node node = grown(1);
    pool().strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    drill.world.cluster().workloads().guard(work(node).uid());
    drill.advance(1, MINUTES).pool("a").spot(0);
    untilDraining(node);
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    timeline.happened(Duration.ofMinutes(2), PREEMPTION_IN_PROGRESS, Fact.EVICTED_AT);
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void aDrainForAScaleDownWhoseNoticeIsWithdrawnLeavesWithoutTheLaterEvents() {
    Node node = grown(1);
    pool().strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    drill.world.cluster().workloads().guard(work(node).uid());
    drill.advance(1, MINUTES).pool("a").spot(0);
    untilDraining(node);
    NodeTimeline timeline = preempt(node);
    drill.advance(1, MINUTES).withdraw(node.name()).toRest();

    assertThat(timeline.at(Fact.POWERED_OFF)).isLessThanOrEqualTo(STOP.plusSeconds(2));
    assertThat(drill.preemptionEvents(node.uid())).containsExactly("Preemption pending 1");
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aNoticeOnAMachineThatIsAlreadyOffChangesNothing() {
    Node node = grown(1);
    drill.world.cluster().nodeClients().keep(node.name());
    pool().spot(0);
    until(() -> host(node.name()).power() == Host.Power.OFF);
    drill.reclaim(node.name()).advance(8, MINUTES);
    assertThat(drill.preemptionEvents(node.uid())).isEmpty();
    drill.withdraw(node.name());
    drill.world.cluster().nodeClients().letGo(node.name());
    drill.toRest();

    assertThat(pool().hosts()).isEmpty();
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aBusyNodeOfADeletedPoolLeavesForThePreemption() {
    Node node = grown(1);
    work(node);
    drill.toRest();
    pool().delete().advance(5, MINUTES);
    assertThat(now(node)).isPresent();
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    timeline.happened(Duration.ZERO, Fact.CORDONED);
    timeline.happened(Duration.ofMinutes(2), Fact.COMMITTED, "evicted train");
    timeline.hasTheThreeEventsOnce();
    assertThat(drill.world.cluster().pool("a")).isEmpty();
  }

  @Test
  void aBusyNodeOfADeletedPoolStaysIfTheNoticeIsWithdrawn() {
    Node node = grown(1);
    work(node);
    drill.toRest();
    pool().delete().advance(5, MINUTES);
    preempt(node);
    drill.advance(1, MINUTES).withdraw(node.name()).advance(1, HOURS);

    stays(node);
  }

  @Test
  void anOrphanThatDrainsIsTightened() {
    Node node = grown(1);
    drill.world.cluster().workloads().guard(work(node).uid());
    drill.toRest();
    pool().delete().advance(1, SECONDS);
    drill.world.cluster().stripFinalizer("a");
    untilDraining(node);
    NodeTimeline timeline = preempt(node);
    drill.advance(10, MINUTES);

    assertThat(now(node)).isEmpty();
    assertThat(timeline.at(Fact.POWERED_OFF)).isLessThanOrEqualTo(STOP.plusSeconds(2));
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void anOrphanThatIsAdmittedLeavesAsAnOrphanIfTheNoticeIsWithdrawn() {
    Node node = grown(1);
    pool().delete().advance(1, MILLIS);
    drill.world.cluster().stripFinalizer("a");
    untilAdmitted(node);
    preempt(node);
    drill.advance(2, SECONDS).withdraw(node.name()).toRest();

    assertThat(now(node)).isEmpty();
    assertThat(host(node.name()).assignment()).isEmpty();
  }
}
