package io.nodepool.world;

import static io.nodepool.vocabulary.EventReason.DELETED_FOR_PREEMPTION;
import static io.nodepool.vocabulary.EventReason.NODE_CORDONED;
import static io.nodepool.vocabulary.EventReason.NODE_DRAINING;
import static io.nodepool.vocabulary.EventReason.PREEMPTION_IN_PROGRESS;
import static io.nodepool.vocabulary.EventReason.PREEMPTION_PENDING;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventType;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.NodeTimeline.Fact;
import io.nodepool.world.cluster.WorldPods;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the timeline of a preemption on the virtual clock (decisions D139 to D141). */
class PreemptionTest {
  private static final Duration NOTICE = Duration.ZERO;
  private static final Duration DRAIN = Duration.ofMinutes(2);
  private static final Duration FORCE = Duration.ofSeconds(390);
  private static final Duration STOP = Duration.ofMinutes(7);

  /** How long a machine takes to stop, and its Node to be deleted. */
  private static final Duration END = Duration.ofSeconds(5);

  private static final DateTimeFormatter LABEL =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Drill drill = Drill.calm(31);
  private final Drill.PoolDrill pool = drill.pool("a");

  /** The machines that are offered as spot are only those of the pool, so none replaces them. */
  private List<Node> grown(int nodes) {
    Drill.machines(Drill.GPU).stream()
        .skip(nodes)
        .forEach(host -> drill.world.cluster().fleetOwner().offerSpot(host, false));
    pool.spot(nodes).toRest();
    assertThat(pool.nodes()).hasSize(nodes);
    return pool.nodes();
  }

  private Pod work(Node node, String name) {
    return drill.world.cluster().bindPod("default", name, node.name(), "ReplicaSet");
  }

  private Node now(Node node) {
    return Optional.ofNullable(drill.world.cluster().nodes().get(node.name())).orElseThrow();
  }

  private NodeTimeline preempt(Node node) {
    NodeTimeline timeline = new NodeTimeline(drill, node);
    drill.reclaim(node.name());
    return timeline;
  }

  private List<EventDraft> onNode(Node node, EventReason reason) {
    return drill
        .events(reason)
        .map(event -> event.eventDraft())
        .filter(event -> event.regarding().uid().equals(node.uid()))
        .toList();
  }

  @Test
  void theNoticeCordonsTheNodeAndSaysSoAtOnce() {
    Node node = grown(1).getFirst();
    work(node, "train");
    Instant noticed = drill.world.instant();
    NodeTimeline timeline = preempt(node);
    drill.advance(3, SECONDS);

    timeline.happened(
        NOTICE,
        Fact.CORDONED,
        Fact.LABELLED,
        Fact.REASON_SET,
        Fact.REPORTED,
        PREEMPTION_PENDING,
        NODE_CORDONED);
    Node seen = now(node);
    assertThat(seen.metadata().label(NodeLabels.PENDING_PREEMPTION)).isEqualTo("true");
    assertThat(seen.metadata().annotations())
        .containsEntry(NodeAnnotations.CORDON_REASON.key(), "Preemption");
    assertThat(seen.removing().map(Node.Removing::reason)).contains(NodeRemovalReason.MARKED);
    assertThat(seen.removing().orElseThrow().message())
        .isEqualTo(
            "Chosen to leave NodePool a: it is preempted, because its fleet reclaims the machine. It stays if its fleet withdraws that before %s, when its drain begins; its machine stops at %s at the latest."
                .formatted(
                    Messages.instant(noticed.plusSeconds(120)),
                    Messages.instant(noticed.plusSeconds(420))));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingHappensToTheNodeBeforeTheWarningIsOver(boolean busy) {
    Node node = grown(1).getFirst();
    if (busy) {
      work(node, "train");
    }
    NodeTimeline timeline = preempt(node);
    drill.advance(119, SECONDS);

    timeline.without(
        Fact.COMMITTED, Fact.EVICTED_AT, Fact.POWERED_OFF, "evicted train", PREEMPTION_IN_PROGRESS);
    assertThat(drill.world.cluster().appliedWrites().of("evict Pod")).isZero();
  }

  @Test
  void anInterruptiblePodTooRunsOnUntilTheDrainBegins() {
    Node node = grown(1).getFirst();
    Pod cheap =
        drill
            .world
            .cluster()
            .workloads()
            .bind("default", "cheap", node.name(), "ReplicaSet", Pod.Interruption.AT_ONCE, false);
    preempt(node);
    drill.advance(119, SECONDS);
    assertThat(drill.world.cluster().appliedWrites().of("evict Pod")).isZero();
    assertThat(Optional.ofNullable(drill.world.cluster().pods().get(cheap.uid())))
        .hasValueSatisfying(pod -> assertThat(pod.deletedAt()).isEmpty());

    drill.advance(6, SECONDS);
    assertThat(drill.world.cluster().appliedWrites().of("evict Pod")).isEqualTo(1);
  }

  @Test
  void theDrainBeginsWhenTheWarningIsOver() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    NodeTimeline timeline = preempt(node);
    Instant notice = drill.world.instant();
    drill.advance(125, SECONDS);

    timeline.happened(
        DRAIN,
        Fact.COMMITTED,
        Fact.EVICTED_AT,
        PREEMPTION_IN_PROGRESS,
        NODE_DRAINING,
        "evicted train");
    assertThat(now(node).metadata().label(NodeLabels.EVICTED_AT))
        .isIn(
            LABEL.format(notice.plus(DRAIN)),
            LABEL.format(notice.plus(DRAIN).plusSeconds(1)),
            LABEL.format(notice.plus(DRAIN).plusSeconds(2)));
    Pod.Ending ending =
        Optional.ofNullable(drill.world.cluster().pods().get(pod.uid()))
            .orElseThrow()
            .execution()
            .ending()
            .orElseThrow();
    assertThat(ending.grace()).isEqualTo(WorldPods.GRACE);
    assertThat(drill.world.cluster().appliedWrites().of("evict Pod")).isEqualTo(1);
    assertThat(drill.world.cluster().appliedWrites().of("delete Pod")).isZero();
  }

  @Test
  void anIdleNodeGoesAsSoonAsTheWarningIsOver() {
    Node node = grown(1).getFirst();
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    timeline.happened(DRAIN, Fact.COMMITTED, Fact.EVICTED_AT, Fact.POWERED_OFF);
    timeline.without(NODE_DRAINING).hasTheThreeEventsOnce();
  }

  @Test
  void aNodeGoesWhenItsPodsHaveEnded() {
    Node node = grown(1).getFirst();
    work(node, "train");
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    Duration drained = DRAIN.plus(WorldPods.GRACE);
    assertThat(timeline.at(Fact.POWERED_OFF))
        .isBetween(drained, drained.plus(NodeTimeline.REACTION));
    timeline.hasTheThreeEventsOnce();
    for (EventReason reason : List.of(NODE_CORDONED, NODE_DRAINING)) {
      assertThat(onNode(node, reason)).hasSize(1);
    }
    for (EventReason reason :
        List.of(PREEMPTION_PENDING, PREEMPTION_IN_PROGRESS, DELETED_FOR_PREEMPTION)) {
      assertThat(onNode(node, reason)).hasSize(1);
      assertThat(reason.type()).isEqualTo(EventType.WARNING);
    }
    assertThat(onNode(node, EventReason.NODE_PREPARED_FOR_TERMINATE)).hasSize(1);
    assertThat(onNode(node, EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE)).isEmpty();
  }

  @Test
  void budgetsAreAskedUntilHalfAMinuteBeforeTheEnd() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    drill.world.cluster().workloads().guard(pod.uid());
    NodeTimeline timeline = preempt(node);
    drill.advance(389, SECONDS);
    timeline.without("evicted train");
    assertThat(now(node).removing().map(Node.Removing::reason))
        .contains(NodeRemovalReason.BLOCKED_BY_BUDGET);

    drill.toRest();
    timeline.happened(FORCE, "evicted train").hasTheThreeEventsOnce();
    assertThat(timeline.at(Fact.POWERED_OFF))
        .isBetween(FORCE.plusSeconds(20), STOP.plus(NodeTimeline.REACTION));
    assertThat(onNode(node, EventReason.NODE_DRAINING_PDB_VIOLATION)).hasSize(1);
    assertThat(onNode(node, EventReason.NODE_DRAINING_FORCE_DELETE)).hasSize(1);
  }

  @Test
  void theMachineGoesAtTheEndOfTheWindowWithAPodThatDoesNotEnd() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    drill.world.cluster().workloads().keep(pod.uid());
    drill.world.cluster().workloads().grace(pod.uid(), Duration.ofHours(1));
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    timeline.happened(DRAIN, "evicted train");
    timeline.happened(STOP, Fact.POWERED_OFF);
    assertThat(timeline.at(Fact.GONE)).isBetween(STOP, STOP.plus(END));
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void aPodKeepsItsOwnGraceUntilTheForce() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    drill.world.cluster().workloads().grace(pod.uid(), Duration.ofMinutes(3));
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    assertThat(timeline.at("ended " + pod.uid()))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(5).plus(NodeTimeline.REACTION));
    assertThat(timeline.at(Fact.POWERED_OFF))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(5).plus(END));
  }

  @Test
  void aPodThatIsEndingKeepsItsTimeUntilTheMachineGoes() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    drill.world.cluster().workloads().grace(pod.uid(), Duration.ofMinutes(6));
    NodeTimeline timeline = preempt(node);
    drill.advance(415, SECONDS);
    assertThat(timeline.has("ended " + pod.uid())).isFalse();
    assertThat(drill.world.cluster().appliedWrites().of("delete Pod")).isZero();

    drill.toRest();
    timeline.happened(STOP, Fact.POWERED_OFF).hasTheThreeEventsOnce();
  }

  @Test
  void volumesThatStayAttachedDoNotOutliveTheWindow() {
    Node node = grown(1).getFirst();
    drill.world.actors().attach(work(node, "train"), Duration.ofHours(1));
    NodeTimeline timeline = preempt(node);
    drill.toRest();

    assertThat(timeline.at(Fact.POWERED_OFF)).isBetween(FORCE, STOP.plus(NodeTimeline.REACTION));
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void aFleetThatGivesLessTimeShortensTheTimeline() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    drill.world.cluster().workloads().keep(pod.uid());
    NodeTimeline timeline = new NodeTimeline(drill, node);
    drill
        .world
        .cluster()
        .fleetOwner()
        .reclaim(node.name(), Duration.ofMinutes(2), drill.world.instant());
    drill.toRest();

    timeline.happened(NOTICE, Fact.CORDONED, PREEMPTION_PENDING);
    timeline.happened(Duration.ofSeconds(90), Fact.COMMITTED, PREEMPTION_IN_PROGRESS);
    assertThat(timeline.at(Fact.POWERED_OFF)).isLessThan(DRAIN.plus(NodeTimeline.REACTION));
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void aPoolThatLosesANodeQueuesAndRefillsItselfOnceTheMachineIsBack() {
    List<Node> nodes = grown(3);
    Node node = nodes.getFirst();
    preempt(node);
    drill.toRest();

    assertThat(pool.nodes()).hasSize(2);
    assertThat(pool.seen().status().counts().current()).isEqualTo(2);
    assertThat(pool.seen().status().counts().queued()).isEqualTo(1);
    assertThat(pool.conditions())
        .containsEntry("AtTarget", "UnderTarget")
        .containsEntry("Capacity", "QueuedAwaitingCapacity");
    assertThat(pool.seen().status().removal()).isEqualTo(RemovalBatch.NONE);
    assertThat(drill.emitted(EventReason.NODE_POOL_REMOVE_NODES)).isZero();
    assertThat(messages(EventReason.NODE_POOL_NODES_REMOVED))
        .containsExactly(
            "1 Node (%s) removed because of preemption; 2 left.".formatted(node.name()));
    assertThat(messages(EventReason.NODE_DELETED))
        .containsExactly(
            "Deleted 1 Node (%s) because of preemption; 2 left.".formatted(node.name()));

    drill.withdraw(node.name()).toRest();
    assertThat(pool.nodes()).hasSize(3);
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  private List<String> messages(EventReason reason) {
    return drill.events(reason).map(event -> event.eventDraft().message()).toList();
  }

  @Test
  void aPoolThatIsFullyPreemptedWaitsAndFillsAgain() {
    List<Node> nodes = grown(3);
    nodes.forEach(node -> drill.reclaim(node.name()));
    drill.toRest();

    assertThat(pool.nodes()).isEmpty();
    assertThat(pool.hosts()).isEmpty();
    assertThat(pool.seen().status().counts().current()).isZero();
    assertThat(pool.seen().status().counts().queued()).isEqualTo(3);
    assertThat(pool.conditions())
        .containsEntry("AtTarget", "UnderTarget")
        .containsEntry("Capacity", "QueuedAwaitingCapacity");
    nodes.forEach(node ->
        assertThat(drill.preemptionEvents(node.uid()))
            .containsExactly(
                "Preemption pending 1", "Preemption in progress 1", "Deleted for preemption 1"));

    nodes.forEach(node -> drill.withdraw(node.name()));
    drill.toRest();
    assertThat(pool.nodes()).hasSize(3).noneMatch(Node::cordoned);
    assertThat(pool.nodes())
        .allMatch(node -> node.metadata().label(NodeLabels.PENDING_PREEMPTION).isEmpty())
        .allMatch(node -> node.metadata().label(NodeLabels.EVICTED_AT).isEmpty());
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void whileANodeIsPreemptedThePoolReportsNoRemoval() {
    Node node = grown(2).getFirst();
    work(node, "train");
    preempt(node);
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 12; i++) {
      drill.advance(10 + random.nextInt(50), SECONDS);
      assertThat(pool.seen().status().removal()).isEqualTo(RemovalBatch.NONE);
    }
  }

  @Test
  void aNodeThatIsFreedByHandDuringTheWarningIsCordonedAgainWithGrowingWaits() {
    Node node = grown(1).getFirst();
    work(node, "train");
    NodeTimeline timeline = preempt(node);
    drill.advance(5, SECONDS);
    drill
        .world
        .actors()
        .meddle(WorldActors.Meddling.UNCORDON, Duration.ofMillis(100), Duration.ofSeconds(100));
    drill.world.cluster().nodeClients().cordon(node.name(), false);
    drill.advance(100, SECONDS);
    int again = drill.world.cluster().appliedWrites().of("cordon Node");
    assertThat(again).isBetween(2, 15);
    assertThat(timeline.has(Fact.UNCORDONED)).isTrue();
    assertThat(AtRest.repeats(drill)).isEmpty();

    drill.toRest();
    assertThat(timeline.at(Fact.POWERED_OFF)).isLessThan(STOP);
    timeline.hasTheThreeEventsOnce();
    assertThat(onNode(node, NODE_CORDONED))
        .extracting(EventDraft::message)
        .containsExactly(
            "Node %s is cordoned: it is preempted.".formatted(node.name()),
            "Node %s is cordoned again: it is preempted.".formatted(node.name()));
  }

  @Test
  void aForeignCordonStaysWhenTheNoticeIsWithdrawn() {
    Node node = grown(1).getFirst();
    drill.world.cluster().nodeClients().cordon(node.name(), true);
    drill.advance(2, SECONDS);
    NodeTimeline timeline = preempt(node);
    drill.advance(10, SECONDS);
    assertThat(now(node).metadata().label(NodeLabels.PENDING_PREEMPTION)).isEqualTo("true");
    assertThat(onNode(node, NODE_CORDONED)).isEmpty();

    drill.withdraw(node.name()).toRest();
    assertThat(now(node).cordoned()).isTrue();
    assertThat(now(node).metadata().label(NodeLabels.PENDING_PREEMPTION)).isEmpty();
    timeline.without(Fact.REASON_SET, EventReason.NODE_UNCORDONED);
  }

  @Test
  void theTimelineGoesOnWhileTheFleetCannotBeReached() {
    Node node = grown(1).getFirst();
    Pod pod = work(node, "train");
    drill.world.cluster().workloads().keep(pod.uid());
    drill.world.cluster().fleetOwner().loseOffer("its document does not exist");
    drill.advance(1, MINUTES);
    NodeTimeline timeline = preempt(node);
    drill.advance(10, MINUTES);

    timeline.happened(NOTICE, Fact.CORDONED, PREEMPTION_PENDING);
    timeline.happened(DRAIN, Fact.COMMITTED, "evicted train");
    // A Pod that outlives its grace is not waited for once its Node is forced.
    timeline.happened(FORCE, Fact.POWERED_OFF);
    timeline.hasTheThreeEventsOnce();
  }
}
