package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.ClusterStates;
import io.nodepool.control.state.PoolEntry;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.RolloutCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.plan.report.UnreadableEvents;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.DisruptionOutcome;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests when writes are sent, delayed and read back, on a clock that the test advances. */
class ActionSubmitterTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration STEP = Duration.ofMillis(250);
  private static final HostId HOST = new HostId("g1", "h-1");
  private static final Answer<Observation> DENIED = new Answer.Denied<>("HTTP 403: no");
  private static final Answer<Observation> REFUSED =
      new Answer.Refused<>("HTTP 409: other version");
  private static final Answer<Observation> BUSY = new Answer.Unavailable<>("HTTP 429");
  private static final Answer<Observation> LOST = new Answer.Unknown<>("HTTP 500");
  private static final Answer<Observation> SEEN =
      new Answer.Done<>(new Observation.NodeSeen(node()));

  private static final PoolId POOL = new PoolId("a", "pool-uid");
  private static final ReconcileKey OWNER = new ReconcileKey.OfMachine("g1");

  private static final Action CORDON = cordon("g1", "n-1");
  private static final Action DELETE = new Action.DeleteNode("g1", "n-1");
  private static final Action LIST = new Action.ListPods("g1", "n-1", 1);
  private static final Action COMMIT =
      new Action.WriteNode(
          "g1",
          "n-1",
          new NodePrecondition.UidAndVersion(1),
          new NodeChange.OfStatus(
              MetadataChange.NONE.recording(
                  Optional.of(Disruptions.committed(CandidateRank.IDLE, START, START))),
              List.of()),
          NodePurpose.COMMIT);
  private static final Action CANCEL =
      new Action.OnHost(new HostOperation.Cancel(HOST, 1, POOL, HostPhase.FREE, Optional.empty()));
  private static final Action STOP =
      new Action.OnHost(new HostOperation.Stop(HOST, 1, POOL, Optional.empty()));

  private Instant now = START;
  private final Set<ReconcileKey> woken = new LinkedHashSet<>();
  private final ClusterState state = ClusterStates.empty(() -> now);
  private final FakeWriter writer = new FakeWriter();
  private final ActionSubmitter submitter =
      new ActionSubmitter(
          writer,
          state,
          woken::add,
          () -> now,
          LoopSettings.DEFAULTS.backOff(),
          ReferenceGeneration.CURRENT);
  private Optional<Instant> nextRun = Optional.empty();

  /** Answers each request immediately, in order, as a script determines. */
  private final class FakeWriter implements Writer {
    final List<Duration> writes = new ArrayList<>();
    final List<Duration> reads = new ArrayList<>();
    final List<EventDraft> emitted = new ArrayList<>();
    Answer<Observation> written = SEEN;
    Answer<Observation> found = SEEN;
    private final List<Runnable> answers = new ArrayList<>();

    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
      writes.add(Duration.between(START, now));
      emitted.addAll(eventDrafts);
      Answer<Observation> script = written;
      answers.add(() -> answer.accept(script));
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      reads.add(Duration.between(START, now));
      Answer<Observation> script = found;
      answers.add(() -> answer.accept(script));
    }

    void deliver() {
      while (!answers.isEmpty()) {
        answers.removeFirst().run();
      }
    }
  }

  private static Node node() {
    return Fixtures.node(HOST, "n-1", 1);
  }

  private static Observation host(Optional<PoolId> holder) {
    return new Observation.HostSeen(
        Fixtures.host(
            HOST,
            new Host.Occupancy(1, holder.map(Fixtures::assignment), "", Host.Power.ON),
            new Host.Report(
                holder.isPresent() ? HostPhase.RUNNING : HostPhase.FREE, 1, "boot", "n", START)));
  }

  /** Requests the action during this time, as an owner that is woken all the time. */
  private void want(Action action, Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(STEP)) {
      once(action);
    }
  }

  private Optional<Instant> once(Action action) {
    return once(PlannedAction.quiet(action, "wanted"));
  }

  private Optional<Instant> once(PlannedAction plannedAction) {
    rest();
    Optional<Instant> later = submitter.submit(plannedAction, OWNER);
    writer.deliver();
    rest();
    return later;
  }

  /** Runs the submitter's own timer only. */
  private void rest() {
    if (woken.remove(new ReconcileKey.OfWrites())
        || nextRun.filter(at -> !at.isAfter(now)).isPresent()) {
      nextRun = submitter.runDue();
      writer.deliver();
    }
  }

  private void pass(Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(STEP)) {
      rest();
    }
  }

  /** The times, in seconds, at which a request is sent that always fails or is always undone. */
  private static final List<Double> GROWING =
      List.of(0.0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 31.75, 61.75, 91.75);

  static Stream<Arguments> endings() {
    return Stream.of(
        Arguments.of("denied", CORDON, DENIED),
        Arguments.of("refused", CORDON, REFUSED),
        Arguments.of("unavailable", CORDON, BUSY),
        Arguments.of("unknown, and not observed to have taken effect", CORDON, LOST),
        Arguments.of("done, and the cordon is undone", CORDON, SEEN),
        Arguments.of("accepted, and the Node is not removed", DELETE, SEEN),
        Arguments.of(
            "done, and the machine is powered on again",
            STOP,
            new Answer.Done<>(host(Optional.of(POOL)))),
        Arguments.of("read, without an effect", LIST, SEEN),
        Arguments.of(
            "read live, without an effect",
            new Action.Confirm(new Action.Subject.OfPool(POOL)),
            SEEN));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("endings")
  void anUnchangedRequestIsRepeatedAtGrowingIntervals(
      String ending, Action action, Answer<Observation> answer) {
    writer.written = answer;
    want(action, Duration.ofSeconds(100));

    assertThat(seconds(writer.writes)).isEqualTo(GROWING);
  }

  private static List<Double> seconds(List<Duration> times) {
    return times.stream().map(time -> time.toMillis() / 1000.0).toList();
  }

  @Test
  void aLiveReadBetweenTwoFailuresDoesNotCountAsSuccess() {
    writer.written = LOST;
    want(CANCEL, Duration.ofSeconds(100));

    assertThat(writer.reads).hasSameSizeAs(writer.writes.subList(1, writer.writes.size()));
    assertThat(writer.emitted)
        .isNotEmpty()
        .allSatisfy(eventDraft ->
            assertThat(eventDraft.reason()).isEqualTo(EventReason.NODE_POOL_NODES_REQUEST_FAILED));
    assertThat(writer.emitted.getFirst().message()).contains("failed 3 times: HTTP 500");
  }

  @Test
  void theFirstRetryOfAStagingIsSentAtOnceAndTheOthersWait() {
    Action stage = new Action.OnHost(new HostOperation.Stage(HOST, 1, POOL, "n", "n-2"));
    writer.written = BUSY;
    assertThat(once(stage)).isEmpty();
    assertThat(once(stage)).isEmpty();
    assertThat(once(stage)).isPresent();
    want(stage, Duration.ofSeconds(5));

    assertThat(writer.writes.stream().map(Duration::toMillis))
        .containsExactly(0L, 0L, 500L, 1500L, 3500L);
  }

  /** A list without a change is only useful for the drain that it prepares. */
  @Test
  void aListOfPodsWaitsForTheDrainThatItPrepares() {
    writer.written = DENIED;
    want(COMMIT, Duration.ofSeconds(20));
    int before = writer.writes.size();

    Optional<Instant> later = once(LIST);
    assertThat(later).hasValueSatisfying(at -> assertThat(at).isAfter(now));
    assertThat(writer.writes).hasSize(before);

    now = later.orElseThrow();
    writer.written = SEEN;
    assertThat(once(LIST)).isEmpty();
    assertThat(once(COMMIT)).isEmpty();
    assertThat(once(LIST)).isEmpty();
    assertThat(writer.writes).hasSize(before + 3);
  }

  /** The cause of a Node that is to be rebooted and to leave, and what ends it. */
  private static final Disruption.Admitted BOTH =
      new Disruption.Admitted(
          1,
          List.of(
              new ScaleDownCause(CandidateRank.IDLE).at(START),
              new RolloutCause("n-2", false).at(START)),
          Disruption.Cordon.OURS,
          DisruptionNotes.NONE);

  @Test
  void aCauseThatEndsIsCountedOnceAndOnlyIfItsWriteIsDone() {
    state.fold(host(Optional.of(POOL)), ClusterState.Source.WATCH);
    Node disrupted = node().withDisruption(Optional.of(BOTH));
    state.fold(new Observation.NodeSeen(disrupted), ClusterState.Source.WATCH);
    Action update =
        record(
            "g1",
            "n-1",
            NodePurpose.UPDATE,
            Optional.of(BOTH.withCauses(List.of(BOTH.causes().getFirst()))));
    for (Answer<Observation> answer : List.of(REFUSED, DENIED, BUSY)) {
      writer.written = answer;
      once(update);
      now = now.plusSeconds(60);
    }
    assertThat(submitter.disruptions().ended()).isEmpty();

    writer.written = SEEN;
    once(update);
    assertThat(submitter.disruptions().ended())
        .isEqualTo(Map.of(ended("Rollout", DisruptionOutcome.WITHDRAWN), 1L));
  }

  private static DisruptionCounts.Kind ended(String cause, DisruptionOutcome outcome) {
    return new DisruptionCounts.Kind(cause, outcome);
  }

  @Test
  void aSuccessResetsTheFailuresOfItsKindOnly() {
    writer.written = BUSY;
    want(DELETE, Duration.ofSeconds(4));
    int before = writer.writes.size();

    writer.written = SEEN;
    assertThat(once(LIST)).isEmpty();
    assertThat(once(DELETE)).isPresent();
    assertThat(writer.writes).hasSize(before + 1);

    pass(Duration.ofSeconds(5));
    assertThat(once(DELETE)).isEmpty();
    pass(STEP);
    writer.written = BUSY;
    assertThat(once(DELETE)).isEmpty();
    assertThat(once(DELETE)).contains(now.plus(STEP));
  }

  @Test
  void aWriteInDoubtIsReadBackWithoutAFurtherRequest() {
    writer.written = LOST;
    once(CORDON);
    assertThat(submitter.isUnderWay(CORDON.subject())).isTrue();

    pass(Duration.ofSeconds(1));

    assertThat(seconds(writer.reads)).containsExactly(0.25);
    assertThat(submitter.isUnderWay(CORDON.subject())).isFalse();
    assertThat(woken).contains(OWNER);
  }

  @Test
  void aFailedReadBackIsRetriedAtGrowingIntervals() {
    writer.written = LOST;
    writer.found = LOST;
    once(CORDON);
    pass(Duration.ofSeconds(100));

    assertThat(seconds(writer.reads)).isEqualTo(GROWING.subList(1, GROWING.size()));
    assertThat(submitter.counts().inDoubt()).isEqualTo(1);
  }

  @Test
  void aWriteOfAnotherValueIsNewAndDoesNotWait() {
    for (int i = 0; i < 20; i++) {
      assertThat(once(report(i % 2 == 0))).as("report %d", i).isEmpty();
    }
    assertThat(once(report(false))).isPresent();
  }

  private static Action report(boolean active) {
    ConditionChange change = ConditionChange.active(node(), new Node.Activity(active, "so"));
    return new Action.WriteNode(
        "g1",
        "n-1",
        new NodePrecondition.Uid(),
        new NodeChange.OfStatus(MetadataChange.NONE, List.of(change)),
        NodePurpose.REPORT_ACTIVITY);
  }

  @Test
  void aChangeWaitsForAKeyOnlyWhereAllItsKeysAreRepeated() {
    want(labels("a"), Duration.ofSeconds(5));
    assertThat(once(labels("a"))).isPresent();

    assertThat(once(labels("a", "b"))).isEmpty();
    assertThat(once(labels("b"))).isPresent();
    pass(STEP);
    assertThat(once(labels("b"))).isEmpty();
    assertThat(once(labels("a"))).isPresent();
  }

  private static Action labels(String... keys) {
    MetadataChange labels = MetadataChange.NONE;
    for (String key : keys) {
      labels = labels.withLabel(key, Optional.of("ours"));
    }
    return new Action.WriteNode(
        "g1",
        "n-1",
        new NodePrecondition.Uid(),
        new NodeChange.OfSpec(labels, NodeChange.Cordoning.KEEP),
        NodePurpose.APPLY_METADATA);
  }

  @Test
  void anAcceptedEvictionCountsAsARepeatAndOneRefusedByABudgetDoesNot() {
    Action evict =
        new Action.EvictPod(
            new Action.Subject.OfPod("default", "p", "p-1", "g1"), Optional.empty());
    writer.written =
        new Answer.Done<>(new Observation.EvictionTried("g1", "p-1", Optional.of("budget")));
    for (int i = 0; i < 20; i++) {
      assertThat(once(evict)).isEmpty();
    }
    writer.written =
        new Answer.Done<>(new Observation.EvictionTried("g1", "p-1", Optional.empty()));
    assertThat(once(evict)).isEmpty();
    assertThat(once(evict)).isPresent();
  }

  @Test
  void aMarkMayBeTakenBackAtOnceHoweverOftenItWasWritten() {
    Action admission =
        record(
            "g1",
            "n-1",
            NodePurpose.ADMIT,
            Optional.of(Disruptions.admitted(CandidateRank.IDLE, START, true)));
    Action withdrawal = record("g1", "n-1", NodePurpose.WITHDRAW, Optional.empty());
    for (int i = 0; i < 40; i++) {
      if (once(admission).isEmpty()) {
        assertThat(once(withdrawal)).isEmpty();
      }
      now = now.plus(STEP);
    }
    assertThat(writer.writes).hasSize(2 * 6);
  }

  @Test
  void aHostIsAssignedAgainAtOnceIfItWasReleasedAndNotIfAnotherClientTookIt() {
    Action cancel =
        new Action.OnHost(
            new HostOperation.Cancel(HOST, 2, POOL, HostPhase.FREE, Optional.empty()));
    writer.written = new Answer.Done<>(host(Optional.empty()));
    for (int tenancy = 1; tenancy < 10; tenancy++) {
      assertThat(once(assign(tenancy))).isEmpty();
      assertThat(once(cancel)).isEmpty();
    }
    assertThat(once(assign(10))).isEmpty();
    assertThat(once(assign(11))).isPresent();
  }

  private static Action assign(int tenancy) {
    return new Action.OnHost(
        new HostOperation.Assign(
            HOST,
            tenancy,
            new Assignment(POOL, "default", "op-" + tenancy, START, NodeTemplate.EMPTY),
            "n"));
  }

  @Test
  void whileAHostIsExcludedAnotherOneIsAssigned() {
    state.fold(host(Optional.empty()), ClusterState.Source.WATCH);
    writer.written = new Answer.Done<>(host(Optional.empty()));
    once(assign(1));
    Instant later = once(assign(1)).orElseThrow();

    assertThat(state.machine("g1").orElseThrow().refusedUntil).isEqualTo(later);
  }

  @Test
  void aChangeThatIsUndoneIsReportedOnce() {
    want(CORDON, Duration.ofSeconds(100));

    assertThat(writer.emitted)
        .singleElement()
        .satisfies(eventDraft -> {
          assertThat(eventDraft.reason()).isEqualTo(EventReason.CHANGE_REVERTED);
          assertThat(eventDraft.regarding())
              .isEqualTo(new EventDraft.Regarding(EventTarget.NODE, "g1", "n-1"));
          assertThat(eventDraft.message())
              .isEqualTo(
                  "Node g1: the cordon was set 5 times and did not stay; another client changes it"
                      + " back. It is set again at growing intervals, of 30s at most.");
        });
  }

  @Test
  void aDenialIsRecordedAtOnceAndOtherFailuresFromTheThirdUntilTheyEnd() {
    state.fold(host(Optional.of(POOL)), ClusterState.Source.WATCH);
    state.fold(new Observation.NodeSeen(node()), ClusterState.Source.WATCH);
    writer.written = BUSY;
    want(DELETE, Duration.ofMillis(500));
    assertThat(state.machine("g1").orElseThrow().troubles.ofDisruption()).isEmpty();
    want(DELETE, Duration.ofMillis(500));
    assertThat(state.machine("g1").orElseThrow().troubles.ofDisruption())
        .contains(new Member.Trouble(false, "deleting Node g1: HTTP 429"));
    writer.written = SEEN;
    want(DELETE, Duration.ofSeconds(2));
    assertThat(state.machine("g1").orElseThrow().troubles.ofDisruption()).isEmpty();

    writer.written = DENIED;
    once(report(true));
    assertThat(state.machine("g1").orElseThrow().troubles.refusal()).contains("HTTP 403: no");
    pass(Duration.ofMinutes(3));
    assertThat(state.machine("g1").orElseThrow().troubles.refusal())
        .as("no longer requested")
        .isEmpty();
  }

  private static PlannedAction announced(Action action, String message) {
    return new PlannedAction(
        List.of(
            new EventDraft(
                EventReason.NODE_CORDONED,
                new EventDraft.Regarding(EventTarget.NODE, "g1", "n-1"),
                "first",
                message,
                1)),
        action,
        "wanted");
  }

  private void want(PlannedAction plannedAction, Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(STEP)) {
      once(plannedAction);
    }
  }

  static Stream<Arguments> answersAfterItsEvents() {
    return Stream.of(DENIED, REFUSED, LOST, new Answer.Missing<>(), SEEN).map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("answersAfterItsEvents")
  void aRetriedOrRepeatedWriteDoesNotEmitItsEventsAgain(Answer<Observation> answer) {
    writer.written = answer;
    want(announced(CORDON, "cordoned"), Duration.ofMinutes(10));

    assertThat(writer.writes).hasSizeGreaterThan(20);
    assertThat(cordoned()).hasSize(1);
  }

  private List<EventDraft> cordoned() {
    return writer.emitted.stream()
        .filter(eventDraft -> eventDraft.reason() == EventReason.NODE_CORDONED)
        .toList();
  }

  @Test
  void anEventThatMayBeLostIsEmittedAgain() {
    writer.written = BUSY;
    want(announced(CORDON, "cordoned"), Duration.ofSeconds(1));

    assertThat(cordoned()).hasSameSizeAs(writer.writes).hasSize(3);
  }

  @Test
  void anEventWithANewMessageIsEmittedAgain() {
    writer.written = LOST;
    want(announced(CORDON, "cordoned"), Duration.ofSeconds(5));
    want(announced(CORDON, "cordoned, and more"), Duration.ofSeconds(30));

    assertThat(cordoned())
        .extracting(EventDraft::message)
        .containsExactly("cordoned", "cordoned, and more");
  }

  private void reportUnreadable() {
    var seen = state.unread().unreported("g1").orElseThrow();
    once(UnreadableEvents.machine("g1", seen.nodeUid(), seen.subject(), seen.why()));
  }

  @Test
  void anUnreadableMachineIsReportedUntilItsEventIsEmitted() {
    state.fold(host(Optional.of(POOL)), ClusterState.Source.WATCH);
    state.fold(new Observation.NodeUnreadable("g1", "n-1", 2, "odd"), ClusterState.Source.WATCH);
    writer.written = BUSY;
    reportUnreadable();
    assertThat(state.unread().unreported("g1")).isPresent();

    pass(STEP);
    now = now.plus(STEP);
    writer.written = SEEN;
    reportUnreadable();
    assertThat(state.unread().unreported("g1")).isEmpty();
  }

  @Test
  void anUnreadablePoolIsReportedUntilItsEventIsEmitted() {
    state.fold(new Observation.PoolUnreadable(POOL, 2, "odd"), ClusterState.Source.WATCH);
    PoolEntry entry = state.entry(POOL.name()).orElseThrow();
    writer.written = BUSY;
    once(UnreadableEvents.pool(POOL, "odd"));
    assertThat(entry.unreadable).extracting(PoolEntry.Unreadable::reported).isEqualTo(false);

    pass(STEP);
    writer.written = LOST;
    once(UnreadableEvents.pool(POOL, "odd"));
    assertThat(entry.unreadable).extracting(PoolEntry.Unreadable::reported).isEqualTo(true);
  }

  @Test
  void recordsOfWritesExpire() {
    writer.written = LOST;
    once(STOP);
    writer.written = BUSY;
    once(labels("a"));
    writer.written = SEEN;
    once(new Action.LabelNamespace("kube-system", "ns-1", "control-plane"));
    submitter.submit(PlannedAction.quiet(STOP, "wanted too"), new ReconcileKey.OfPool("a"));
    assertThat(submitter.sizes())
        .isEqualTo(
            Map.of(
                "writes under way", 0,
                "writes in doubt", 1,
                "objects waited for", 1,
                "writes that failed", 2,
                "objects written lately", 1,
                "objects announced lately", 0));

    pass(Duration.ofMinutes(5));

    assertThat(submitter.sizes().values()).containsOnly(0);
    assertThat(nextRun).isEmpty();
    assertThat(woken).contains(new ReconcileKey.OfPool("a"));
  }

  @Test
  void afterAQuietTimeTheCountStartsAgain() {
    want(CORDON, Duration.ofSeconds(20));
    pass(Duration.ofMinutes(3));

    assertThat(once(CORDON)).isEmpty();
    assertThat(once(CORDON)).contains(now.plus(STEP));
  }

  private static Action cordon(String node, String uid) {
    return record(node, uid, NodePurpose.CORDON_AGAIN, Optional.empty());
  }

  private static Action record(
      String node, String uid, NodePurpose change, Optional<Disruption> next) {
    return new Action.WriteNode(
        node,
        uid,
        new NodePrecondition.UidAndVersion(1),
        new NodeChange.OfSpec(MetadataChange.NONE.recording(next), NodeChange.Cordoning.KEEP),
        change);
  }

  @Test
  void failuresAreCountedForEachObject() {
    writer.written = BUSY;
    want(CORDON, Duration.ofSeconds(5));

    assertThat(once(cordon("g2", "n-2"))).isEmpty();
    assertThat(once(cordon("g1", "n-another"))).isEmpty();
    assertThat(Map.of("resting", submitter.counts().resting())).containsEntry("resting", 3);
  }
}
