package io.nodepool.plan.node;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.host;
import static io.nodepool.plan.Given.leaving;
import static io.nodepool.plan.Given.machine;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.pool;
import static io.nodepool.plan.Given.running;
import static io.nodepool.plan.Given.unassigned;
import static io.nodepool.plan.Given.work;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.LiveRead;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.Given;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.RegistrationFailedCause;
import io.nodepool.plan.disruption.cause.RolloutCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One row for each situation of a machine: its next action, or none. */
class MachinePlannerTest {
  private static final MachinePlanner PLANNER =
      new MachinePlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private static final Optional<Pool> POOL =
      Optional.of(pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY));
  private static final Optional<Pool> NO_POOL = Optional.empty();
  private static final List<Pod> NO_PODS = List.of();
  private static final List<Pod> WORK = List.of(work());
  private static final Host G1 = running("g1");
  private static final Node NODE = node(G1, 3);
  private static final Host OFF = host("g1", HostPhase.STOPPED, 3, Host.Power.OFF);
  private static final Host STOPPING = host("g1", HostPhase.RUNNING, 3, Host.Power.OFF);
  private static final Instant LONG_AGO = NOW.minusSeconds(3600);
  private static final Disruption.Admitted ADMITTED =
      Disruptions.admitted(CandidateRank.IDLE, LONG_AGO, true);
  private static final Disruption.Committed DRAINING =
      Disruptions.committed(CandidateRank.IDLE, LONG_AGO, NOW.plusSeconds(60));

  private static MachineSnapshot.Evidence evidence(
      boolean settled, List<Pod> listed, boolean ownerGone, Optional<LiveRead> liveRead) {
    return Fixtures.evidence(
        Optional.of(NOW.minusSeconds(settled ? 6 : 1)),
        Optional.of(new MachineSnapshot.Listing(listed, NOW)).filter(_ -> settled),
        Map.of(),
        ownerGone,
        liveRead);
  }

  private static MachineSnapshot.Evidence listed(List<Pod> listed, Instant at) {
    return evidence(true, NO_PODS, false, Optional.empty())
        .withListed(Optional.of(new MachineSnapshot.Listing(listed, at)));
  }

  private static final MachineSnapshot.Evidence NOTHING = MachineSnapshot.Evidence.NONE;
  private static final MachineSnapshot.Evidence GONE =
      evidence(false, NO_PODS, true, Optional.empty());

  private static MachineSnapshot.Evidence liveRead(boolean node, int pods, Instant at) {
    return evidence(false, NO_PODS, true, Optional.of(new LiveRead(node, pods, at)));
  }

  static Stream<Arguments> machines() {
    Host dead = host("g1", HostPhase.STOPPED, 3, Host.Power.ON);
    Host broken = host("g1", HostPhase.FAILED, 3, Host.Power.OFF);
    Host free = host("g1", HostPhase.FREE, 2, Host.Power.ON);
    return Stream.of(
        row(
            "its pool was not observed: a live read",
            G1,
            NODE,
            NO_PODS,
            NO_POOL,
            NOTHING,
            Action.Confirm.class),
        row("its pool does not exist", G1, NODE, NO_PODS, NO_POOL, GONE, NodePurpose.ADMIT),
        row(
            "no Node, and its pool was not observed",
            G1,
            null,
            NO_PODS,
            NO_POOL,
            NOTHING,
            Action.Confirm.class),
        row(
            "no Node, no pool: a live read first",
            G1,
            null,
            NO_PODS,
            NO_POOL,
            GONE,
            Action.ReadMachine.class),
        row(
            "the live read found nothing",
            G1,
            null,
            NO_PODS,
            NO_POOL,
            liveRead(false, 0, NOW),
            HostOperation.Stop.class),
        row("the live read found a Node", G1, null, NO_PODS, NO_POOL, liveRead(true, 0, NOW)),
        row("the live read found Pods", G1, null, NO_PODS, NO_POOL, liveRead(false, 2, NOW)),
        row(
            "the live read is too old",
            G1,
            null,
            NO_PODS,
            NO_POOL,
            liveRead(false, 0, LONG_AGO),
            Action.ReadMachine.class),
        row(
            "it never booted, and its pool does not exist",
            free,
            null,
            NO_PODS,
            NO_POOL,
            GONE,
            HostOperation.Cancel.class),
        row("it stays and is up to date", G1, inProduction(NODE), NO_PODS, POOL, NOTHING),
        row("its state is missing", G1, NODE, NO_PODS, POOL, NOTHING, NodePurpose.APPLY_METADATA),
        row(
            "marked, not settled",
            G1,
            leaving(NODE, ADMITTED),
            NO_PODS,
            POOL,
            evidence(false, NO_PODS, false, Optional.empty())),
        row(
            "marked, settled and listed idle",
            G1,
            leaving(NODE, ADMITTED),
            NO_PODS,
            POOL,
            evidence(true, NO_PODS, false, Optional.empty()),
            NodePurpose.COMMIT),
        row(
            "marked and settled, and the list is too old",
            G1,
            leaving(NODE, ADMITTED),
            NO_PODS,
            POOL,
            listed(NO_PODS, NOW.minusSeconds(1)),
            Action.ListPods.class),
        row(
            "marked, and the list shows work",
            G1,
            leaving(NODE, ADMITTED),
            NO_PODS,
            POOL,
            evidence(true, List.of(work()), false, Optional.empty()),
            NodePurpose.WITHDRAW),
        row(
            "marked, and it got work",
            G1,
            leaving(NODE, ADMITTED),
            List.of(work()),
            POOL,
            evidence(false, NO_PODS, false, Optional.empty()),
            NodePurpose.WITHDRAW),
        row(
            "draining, no Pod observed: a live list",
            G1,
            leaving(NODE, DRAINING),
            NO_PODS,
            POOL,
            NOTHING,
            Action.ListPods.class),
        row(
            "draining, no Pod listed",
            G1,
            leaving(NODE, DRAINING),
            NO_PODS,
            POOL,
            evidence(true, NO_PODS, false, Optional.empty()),
            HostOperation.Stop.class),
        row(
            "draining, and the list shows work",
            G1,
            leaving(NODE, DRAINING),
            NO_PODS,
            POOL,
            evidence(true, List.of(work()), false, Optional.empty()),
            NodePurpose.UPDATE,
            Action.EvictPod.class),
        row(
            "passed over",
            G1,
            leaving(NODE, Disruptions.passedOver(NOW, NOW.plusSeconds(60), false)),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.REPORT_REMOVAL),
        row(
            "no longer passed over",
            G1,
            leaving(NODE, Disruptions.passedOver(LONG_AGO, NOW, false)),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.REPORT_REMOVAL),
        row(
            "no longer passed over, and its removal is no longer requested",
            G1,
            leaving(NODE, Disruptions.passedOver(LONG_AGO, NOW, true)),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.WITHDRAW),
        row(
            "it stopped by itself: the pool waits",
            dead,
            inProduction(NODE),
            NO_PODS,
            POOL,
            NOTHING),
        row(
            "it stopped by itself while it drains",
            dead,
            leaving(NODE, DRAINING),
            NO_PODS,
            POOL,
            evidence(true, NO_PODS, false, Optional.empty()),
            HostOperation.Stop.class),
        row(
            "it is being stopped, and its Node says so",
            STOPPING,
            leaving(NODE, DRAINING),
            NO_PODS,
            POOL,
            NOTHING),
        row(
            "it is being stopped, and another client removed what its Node says",
            STOPPING,
            silenced(DRAINING),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.REPORT_REMOVAL),
        row("it is being stopped, and nothing is recorded", STOPPING, NODE, NO_PODS, POOL, NOTHING),
        row(
            "it is stopped, its Node exists",
            OFF,
            leaving(NODE, DRAINING),
            NO_PODS,
            POOL,
            NOTHING,
            Action.DeleteNode.class),
        row(
            "it is stopped, its Node does not exist",
            OFF,
            null,
            NO_PODS,
            POOL,
            NOTHING,
            HostOperation.Release.class),
        row(
            "it failed instead of stopping",
            broken,
            null,
            NO_PODS,
            POOL,
            NOTHING,
            HostOperation.Release.class),
        row(
            "a Node of an earlier tenancy",
            G1,
            node(G1, 2),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.ADMIT),
        row(
            "a Node of a tenancy that is not observed yet",
            G1,
            node(G1, 4),
            NO_PODS,
            POOL,
            NOTHING),
        row(
            "its assignment was removed while it runs",
            unassigned(G1),
            NODE,
            NO_PODS,
            NO_POOL,
            GONE),
        row(
            "its assignment was removed, and it stopped",
            unassigned(host("g1", HostPhase.FREE, 3, Host.Power.ON)),
            NODE,
            NO_PODS,
            NO_POOL,
            GONE,
            NodePurpose.ADMIT),
        row(
            "its pool chose it, then its assignment was removed, and it stopped",
            unassigned(host("g1", HostPhase.FREE, 3, Host.Power.ON)),
            leaving(NODE, ADMITTED),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.WITHDRAW),
        row(
            "the same with work on it",
            unassigned(host("g1", HostPhase.FREE, 3, Host.Power.ON)),
            leaving(NODE, ADMITTED),
            WORK,
            POOL,
            NOTHING,
            NodePurpose.WITHDRAW),
        row(
            "its pool chose it in an earlier tenancy",
            G1,
            leaving(node(G1, 2), ADMITTED),
            NO_PODS,
            POOL,
            NOTHING,
            NodePurpose.WITHDRAW));
  }

  /** One row for each situation of a drain that another client or the API server hinders. */
  static Stream<Arguments> hinderedDrains() {
    Node open = leaving(NODE, DRAINING).withCordoned(false);
    Instant past = DRAINING.forceAt();
    List<?> cordon = List.of(NodePurpose.CORDON_AGAIN);
    return Stream.of(
        Arguments.of("uncordoned", open, WORK, NOW, cordon, past),
        Arguments.of(
            "uncordoned, the deadline has passed: a report first",
            open,
            WORK,
            past,
            List.of(NodePurpose.UPDATE),
            past.plusSeconds(60)),
        Arguments.of(
            "uncordoned, and the report failed",
            open,
            WORK,
            past.plusSeconds(60),
            List.of(NodePurpose.UPDATE, Action.DeletePod.class),
            null),
        Arguments.of(
            "cordoned, and the report failed",
            leaving(NODE, DRAINING),
            WORK,
            past.plusSeconds(60),
            List.of(NodePurpose.UPDATE, Action.DeletePod.class),
            null),
        Arguments.of("uncordoned and empty before the deadline", open, NO_PODS, NOW, cordon, past),
        Arguments.of(
            "uncordoned and empty at the deadline",
            open,
            NO_PODS,
            past,
            List.of(NodePurpose.CORDON_AGAIN, HostOperation.Stop.class),
            null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hinderedDrains")
  void aHinderedDrainEndsAfterItsDeadline(
      String situation,
      Node node,
      List<Pod> pods,
      Instant now,
      List<?> next,
      @Nullable Instant wakeup) {
    MachineSnapshot.Evidence listed =
        Fixtures.evidence(
            Optional.empty(),
            Optional.of(new MachineSnapshot.Listing(pods, now)),
            Map.of(),
            false,
            Optional.empty());
    MachinePlan plan = PLANNER.plan(machine(G1, Optional.of(node), pods, POOL, listed), now);

    assertThat(kinds(plan)).isEqualTo(next);
    if (wakeup != null) {
      assertThat(plan.wakeup()).hasValue(wakeup);
    }
  }

  private static Node inProduction(Node node) {
    SortedMap<String, String> labels = new TreeMap<>(node.metadata().labels());
    labels.put(NodeLabels.STATE.key(), Reservation.PRODUCTION);
    labels.put(NodeLabels.RESERVED.key(), "example-org");
    return node.withMetadata(node.metadata().withLabels(labels));
  }

  private static Arguments row(
      String situation,
      Host host,
      @Nullable Node node,
      List<Pod> pods,
      Optional<Pool> pool,
      MachineSnapshot.Evidence evidence,
      Object... next) {
    return Arguments.of(
        situation, machine(host, Optional.ofNullable(node), pods, pool, evidence), List.of(next));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("machines")
  void aMachineTakesOneStep(String situation, MachineSnapshot seen, List<?> next) {
    assertThat(kinds(PLANNER.plan(seen, NOW))).isEqualTo(next);
  }

  /** The Node, leaving, after another client removed its conditions. */
  private static Node silenced(Disruption removal) {
    Node node = leaving(NODE, removal);
    return node.withStatus(NodeConditions.removing(node.status(), Optional.empty()));
  }

  static Stream<Arguments> stops() {
    return Stream.of(
        Arguments.of(NO_PODS, "No Pods are left to be evicted; its machine is stopped."),
        Arguments.of(WORK, "Its machine is stopped, with 1 Pod left: Job default/train."));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("stops")
  void aMachineThatIsBeingStoppedIsReportedAgain(List<Pod> pods, String message) {
    MachineSnapshot seen = machine(STOPPING, Optional.of(silenced(DRAINING)), pods, POOL, NOTHING);

    assertThat(PLANNER.plan(seen, NOW).plannedActions())
        .singleElement()
        .extracting(PlannedAction::action, InstanceOfAssertFactories.type(Action.WriteNode.class))
        .satisfies(report ->
            assertThat(report.change().conditionSet(NodeCondition.NODE_REMOVAL))
                .hasValueSatisfying(says -> {
                  assertThat(says.reason()).isEqualTo(NodeRemovalReason.TERMINATING.word());
                  assertThat(says.message()).isEqualTo(message);
                }));
  }

  /** Another Node of its pool may have found that the pool is gone, while this one drains. */
  @Test
  void aDrainingNodeThatBecomesAnOrphanIsNotLabelledAsPreempted() {
    MachineSnapshot seen =
        machine(G1, Optional.of(leaving(NODE, DRAINING)), NO_PODS, NO_POOL, GONE);

    assertThat(PLANNER.plan(seen, NOW).plannedActions())
        .singleElement()
        .extracting(PlannedAction::action, InstanceOfAssertFactories.type(Action.WriteNode.class))
        .satisfies(commit -> {
          assertThat(commit.purpose()).isEqualTo(NodePurpose.COMMIT);
          assertThat(commit.next().flatMap(Disruption::active))
              .hasValueSatisfying(next -> assertThat(next.isFor("Orphaned")).isTrue());
          assertThat(commit.change().metadata().labels()).isEmpty();
          assertThat(commit.change().metadata().annotations()).isEmpty();
        });
  }

  /** A cause that a paused pool holds back ends with the others when a live list shows work. */
  @Test
  void theReasonOfTheCordonEndsWithItThoughOneCauseWasHeldBack() {
    Disruption.Admitted admitted =
        ADMITTED.withCauses(
            ADMITTED.causesAnd(List.of(new RegistrationFailedCause().at(LONG_AGO))));
    Node node = leaving(NODE, admitted);
    SortedMap<String, String> annotations = new TreeMap<>(node.metadata().annotations());
    annotations.put(NodeAnnotations.CORDON_REASON.key(), admitted.words());
    Node cordoned = node.withMetadata(node.metadata().withAnnotations(annotations));
    Pool pool = POOL.orElseThrow();
    Pool paused = pool.withSpec(pool.spec().withPause(PoolSpec.Pause.NONE.withText("true")));

    assertThat(
            PLANNER
                .plan(
                    machine(
                        G1,
                        Optional.of(cordoned),
                        NO_PODS,
                        Optional.of(paused),
                        evidence(true, WORK, false, Optional.empty())),
                    NOW)
                .plannedActions())
        .singleElement()
        .extracting(PlannedAction::action, InstanceOfAssertFactories.type(Action.WriteNode.class))
        .satisfies(withdrawn -> {
          assertThat(withdrawn.purpose()).isEqualTo(NodePurpose.WITHDRAW);
          assertThat(withdrawn.change().metadata().annotations())
              .containsEntry(NodeAnnotations.CORDON_REASON.key(), Optional.empty());
        });
  }

  /** Kubernetes takes its taint off, and a change of the taints at that moment is refused. */
  @Test
  void theTaintsOfANodeThatWasJustUncordonedAreChangedAfterThoseOfKubernetes() {
    Taint ofCordon = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
    Instant ended = NOW.minusSeconds(1);
    Node node =
        NODE.withDisruption(Optional.of(new Disruption.PassedOver(1, ended, ended, false)))
            .withMetadata(NODE.metadata().withTaints(List.of(ofCordon)));
    Node untainted = node.withMetadata(node.metadata().withTaints(List.of()));

    MachinePlan waits = PLANNER.plan(upToDate(node), NOW);
    assertThat(kinds(waits)).isEmpty();
    assertThat(waits.wakeup()).hasValue(ended.plusSeconds(5));
    assertThat(kinds(PLANNER.plan(upToDate(untainted), NOW)))
        .isEqualTo(List.of(NodePurpose.APPLY_METADATA));
    assertThat(kinds(PLANNER.plan(upToDate(node), ended.plusSeconds(5))))
        .isEqualTo(List.of(NodePurpose.APPLY_METADATA));
    assertThat(kinds(PLANNER.plan(upToDate(node.withDisruption(Optional.empty())), NOW)))
        .isEqualTo(List.of(NodePurpose.APPLY_METADATA));
  }

  private static MachineSnapshot upToDate(Node node) {
    return machine(G1, Optional.of(node), NO_PODS, POOL, NOTHING);
  }

  static Stream<Arguments> leftovers() {
    MachineSnapshot.Evidence settled = evidence(true, NO_PODS, true, Optional.empty());
    return Stream.of(
        Arguments.of(
            "its Host was not observed", NODE, NO_PODS, NOTHING, Optional.of(Action.Confirm.class)),
        Arguments.of("it has work", NODE, List.of(work()), GONE, Optional.empty()),
        Arguments.of(
            "its Host does not exist", NODE, NO_PODS, GONE, Optional.of(NodePurpose.ADMIT)),
        Arguments.of(
            "chosen by its pool, which does not hold its machine any more",
            leaving(NODE, ADMITTED),
            NO_PODS,
            settled,
            Optional.of(NodePurpose.WITHDRAW)),
        Arguments.of(
            "drained",
            leaving(NODE, DRAINING),
            NO_PODS,
            settled,
            Optional.of(Action.DeleteNode.class)),
        Arguments.of(
            "drained for a reboot, not observed to be without its Host",
            rebooting(),
            WORK,
            NOTHING,
            Optional.of(Action.Confirm.class)),
        Arguments.of(
            "drained for a reboot, with work",
            rebooting(),
            WORK,
            settled,
            Optional.of(NodePurpose.WITHDRAW)),
        Arguments.of(
            "drained for a reboot, idle",
            rebooting(),
            NO_PODS,
            settled,
            Optional.of(NodePurpose.UPDATE)));
  }

  /** The Node while it is drained for the turn of a rollout that evicts, past the deadline. */
  private static Node rebooting() {
    Disruption.Cause turn = new RolloutCause("ncore-2.11.0", true).at(LONG_AGO);
    Disruption.Committed drained =
        new Disruption.Committed(
            1,
            List.of(turn),
            Disruption.Cordon.OURS,
            LONG_AGO,
            new DisruptionLimits(
                new DisruptionEnding.Reboot(BootKind.POWER_RESET), LONG_AGO, Optional.empty()),
            DrainStage.NONE);
    return NODE.withCordoned(true).withDisruption(Optional.of(drained));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("leftovers")
  void aNodeWithoutAHostTakesOneStep(
      String situation,
      Node node,
      List<Pod> pods,
      MachineSnapshot.Evidence evidence,
      Optional<Object> next) {
    LeftoverNode seen = new LeftoverNode(node, new MachineSnapshot.Bound(pods, Set.of()), evidence);
    assertThat(kinds(PLANNER.plan(seen, NOW))).isEqualTo(next.stream().toList());
  }

  private static List<?> kinds(MachinePlan plan) {
    return plan.plannedActions().stream()
        .map(plannedAction -> kind(plannedAction.action()))
        .toList();
  }

  private static Object kind(Action action) {
    return action instanceof Action.OnHost(HostOperation operation)
        ? operation.getClass()
        : action.kind();
  }
}
