package io.nodepool.world;

import static io.nodepool.vocabulary.EventReason.DELETED_FOR_PREEMPTION;
import static io.nodepool.vocabulary.EventReason.PREEMPTION_IN_PROGRESS;
import static io.nodepool.vocabulary.EventReason.PREEMPTION_PENDING;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.world.NodeTimeline.Fact;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests preemptions during which no operator runs: the instants stay, all Events follow in order,
 * and the machine goes at most half a minute after an operator is back (decision D139).
 */
@Tag("slow")
class PreemptionAbsenceTest {
  private static final Duration STOP = Duration.ofMinutes(7);
  private static final Duration FORCED = Duration.ofSeconds(30);

  private final Drill drill = Drill.calm(51);

  /** A preempted Node with a Pod that outlives every grace period but the forced one. */
  private NodeTimeline grown() {
    return grown(PoolSpec.ScaleDownStrategy.IDLE_ONLY);
  }

  private NodeTimeline grown(PoolSpec.ScaleDownStrategy strategy) {
    Drill.machines(Drill.GPU).stream()
        .skip(1)
        .forEach(host -> drill.world.cluster().fleetOwner().offerSpot(host, false));
    drill.pool("a").spot(1).pool("a").strategy(strategy).toRest();
    Node node = drill.pool("a").nodes().getFirst();
    Pod pod = drill.world.cluster().bindPod("default", "train", node.name(), "ReplicaSet");
    drill.world.cluster().workloads().keep(pod.uid());
    drill.world.cluster().workloads().grace(pod.uid(), Duration.ofHours(1));
    drill.toRest();
    return new NodeTimeline(drill, node);
  }

  /** No operator runs from one second of the timeline to another one. */
  private void absence(int from, int to) {
    drill.world.later(Duration.ofSeconds(from), drill.world.operators()::kill);
    drill.world.later(Duration.ofSeconds(to), drill.world.operators()::start);
  }

  @ParameterizedTest
  @CsvSource({"10,100", "0,60", "1,119", "130,380", "150,385"})
  void anAbsenceBetweenTwoInstantsMovesNone(int from, int to) {
    NodeTimeline timeline = grown();
    absence(from, to);
    drill.reclaim(timeline.name()).toRest();

    timeline.happened(Duration.ofMinutes(2), Fact.COMMITTED, PREEMPTION_IN_PROGRESS);
    timeline.happened(STOP, Fact.POWERED_OFF);
    timeline.hasTheThreeEventsOnce();
  }

  @ParameterizedTest
  @CsvSource({"100,150", "0,200", "110,300"})
  void anAbsenceAcrossTheDrainDelaysNothingElse(int from, int to) {
    NodeTimeline timeline = grown();
    absence(from, to);
    drill.reclaim(timeline.name()).toRest();

    timeline.happened(
        Duration.ofSeconds(to), Fact.COMMITTED, PREEMPTION_IN_PROGRESS, "evicted train");
    timeline.happened(STOP, Fact.POWERED_OFF);
    timeline.hasTheThreeEventsOnce();
  }

  @ParameterizedTest
  @CsvSource({"100,395", "0,395", "130,395", "0,415", "60,415", "300,415"})
  void anAbsenceAcrossTheForceMovesTheEndByLessThanHalfAMinute(int from, int to) {
    NodeTimeline timeline = grown();
    absence(from, to);
    drill.reclaim(timeline.name()).toRest();

    assertThat(timeline.at(Fact.POWERED_OFF))
        .isBetween(STOP, Duration.ofSeconds(to).plus(FORCED).plus(NodeTimeline.REACTION));
    timeline.hasTheThreeEventsOnce();
  }

  @ParameterizedTest
  @CsvSource({"0,421", "0,3000", "60,421", "60,600", "200,421", "200,3000", "400,421", "400,600"})
  void anAbsenceAcrossTheEndEndsWithinHalfAMinute(int from, int to) {
    NodeTimeline timeline = grown();
    absence(from, to);
    drill.reclaim(timeline.name()).toRest();

    Duration back = Duration.ofSeconds(to);
    assertThat(timeline.at(Fact.POWERED_OFF))
        .isBetween(back, back.plus(FORCED).plus(NodeTimeline.REACTION));
    timeline.hasTheThreeEventsOnce();
    assertThat(drill.world.situations().counts()).containsKey(Situation.CUT_OFF);
    assertThat(drill.pool("a").nodes()).isEmpty();
  }

  @Test
  void anOperatorThatComesAfterTheEndCordonsEvictsAndDeletesAtOnce() {
    NodeTimeline timeline = grown();
    absence(0, 600);
    drill.reclaim(timeline.name()).toRest();

    timeline.happened(
        Duration.ofMinutes(10),
        Fact.CORDONED,
        Fact.LABELLED,
        PREEMPTION_PENDING,
        Fact.COMMITTED,
        Fact.EVICTED_AT,
        PREEMPTION_IN_PROGRESS,
        "evicted train");
    assertThat(timeline.at(DELETED_FOR_PREEMPTION))
        .isGreaterThan(timeline.at(PREEMPTION_IN_PROGRESS));
  }

  @ParameterizedTest
  @ValueSource(ints = {70, 130, 300})
  void aDrainForAScaleDownThatIsPreemptedReportsAllStagesAfterAnAbsence(int from) {
    Node node = grown(PoolSpec.ScaleDownStrategy.PREFER_IDLE).seen();
    drill
        .world
        .cluster()
        .pods()
        .keySet()
        .forEach(uid -> drill.world.cluster().workloads().guard(uid));
    drill.pool("a").spot(0).advance(1, MINUTES);
    assertThat(drill.pool("a").nodes()).allMatch(Node::isDraining);
    NodeTimeline timeline = new NodeTimeline(drill, node);
    absence(from, 600);
    drill.reclaim(timeline.name()).toRest();

    timeline.happened(Duration.ofMinutes(10), Fact.POWERED_OFF);
    timeline.hasTheThreeEventsOnce();
  }

  @Test
  void aNoticeThatIsWithdrawnDuringAnAbsenceIsFollowed() {
    NodeTimeline timeline = grown();
    absence(30, 600);
    drill.reclaim(timeline.name()).advance(3, MINUTES).withdraw(timeline.name()).toRest();

    timeline.without(Fact.COMMITTED, PREEMPTION_IN_PROGRESS, DELETED_FOR_PREEMPTION);
    assertThat(drill.pool("a").nodes()).hasSize(1).noneMatch(Node::cordoned);
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aNoticeThatComesAndGoesDuringAnAbsenceLeavesNoTrace() {
    NodeTimeline timeline = grown();
    absence(0, 600);
    drill
        .advance(1, SECONDS)
        .reclaim(timeline.name())
        .advance(3, MINUTES)
        .withdraw(timeline.name());
    drill.toRest();

    assertThat(drill.preemptionEvents(timeline.seen().uid())).isEmpty();
    timeline.without(Fact.CORDONED);
  }
}
