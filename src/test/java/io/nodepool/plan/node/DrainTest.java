package io.nodepool.plan.node;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.running;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Fixtures;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One row for each situation of a drain, before and after its deadline: what it does with the
 * Node's Pods.
 */
class DrainTest {
  private static final Node NODE = node(running("g1"), 3);
  private static final Instant LATER = NOW.plusSeconds(600);
  private static final Instant PAST = NOW.minusSeconds(1);
  private static final Map<String, MachineSnapshot.Attempt> UNTRIED = Map.of();

  private static final Duration GRACE = Duration.ofSeconds(60);

  private static Pod pod(
      String name,
      String owner,
      boolean critical,
      Pod.Interruption interruption,
      Optional<Instant> ends) {
    Pod pod = Fixtures.pod("default", name).withOwner(new Pod.Owner(owner, name, false));
    Pod running = pod.withEviction(new Pod.Eviction(critical, GRACE, interruption));
    return ends.map(at -> Fixtures.ending(running, new Pod.Ending(at, GRACE))).orElse(running);
  }

  private static final Pod WORK =
      pod("work", "ReplicaSet", false, Pod.Interruption.NONE, Optional.empty());
  private static final Pod DAEMON =
      pod("daemon", "DaemonSet", false, Pod.Interruption.NONE, Optional.empty());
  private static final Pod CRITICAL =
      pod("dns", "ReplicaSet", true, Pod.Interruption.NONE, Optional.empty());
  private static final Pod GENTLE =
      pod("gentle", "ReplicaSet", false, Pod.Interruption.GRACEFUL, Optional.empty());
  private static final Pod CHEAP =
      pod("cheap", "ReplicaSet", false, Pod.Interruption.AT_ONCE, Optional.empty());
  private static final Pod OTHER_WORK =
      pod("other", "ReplicaSet", false, Pod.Interruption.NONE, Optional.empty());
  private static final Pod ENDING =
      pod("ending", "ReplicaSet", false, Pod.Interruption.NONE, Optional.of(NOW.plusSeconds(20)));
  private static final Pod OVERDUE =
      pod("overdue", "ReplicaSet", false, Pod.Interruption.NONE, Optional.of(NOW.minusSeconds(2)));
  private static final Pod JUST_OVER =
      pod("over", "ReplicaSet", false, Pod.Interruption.NONE, Optional.of(NOW.minusMillis(1_999)));
  private static final Pod SLOW =
      pod("slow", "ReplicaSet", false, Pod.Interruption.NONE, Optional.of(NOW.plusSeconds(900)));

  private static Pod boundAt(Pod pod, Instant at) {
    return pod.withExecution(new Pod.Execution(at, true, false, pod.execution().ending()));
  }

  private static final Pod IN_TIME = boundAt(WORK, PAST.plusSeconds(7_200));
  private static final Pod LATE = boundAt(OTHER_WORK, PAST.plusMillis(7_200_001));

  private static Map<String, MachineSnapshot.Attempt> blocked(Instant at) {
    return Map.of("work-uid", new MachineSnapshot.Attempt(Optional.of("default/pdb"), at));
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row("nothing is left", List.of(), UNTRIED, LATER, NodeRemovalReason.TERMINATING, ""),
        row("DaemonSets stay", List.of(DAEMON), UNTRIED, LATER, NodeRemovalReason.TERMINATING, ""),
        row(
            "work is evicted",
            List.of(WORK),
            UNTRIED,
            LATER,
            NodeRemovalReason.DRAINING,
            "evict work"),
        row(
            "system-critical Pods wait for the others",
            List.of(WORK, CRITICAL),
            UNTRIED,
            LATER,
            NodeRemovalReason.DRAINING,
            "evict work"),
        row(
            "system-critical Pods are evicted last",
            List.of(CRITICAL),
            UNTRIED,
            LATER,
            NodeRemovalReason.DRAINING,
            "evict dns"),
        row(
            "a gracefully interruptible Pod is deleted with its own grace period",
            List.of(GENTLE),
            UNTRIED,
            LATER,
            NodeRemovalReason.DRAINING,
            "delete gentle"),
        row(
            "interruptible Pods are first, the others follow in the same plan",
            List.of(WORK, GENTLE, OTHER_WORK, CHEAP),
            UNTRIED,
            LATER,
            NodeRemovalReason.DRAINING,
            "delete gentle, evict cheap, evict work, evict other"),
        row(
            "interruptible Pods are first past the deadline too",
            List.of(WORK, CHEAP),
            UNTRIED,
            PAST,
            NodeRemovalReason.FORCED,
            "delete cheap in 1s, delete work in 30s"),
        row(
            "the drain waits for a terminating Pod",
            List.of(ENDING),
            UNTRIED,
            LATER,
            NodeRemovalReason.DRAINING,
            ""),
        row(
            "a budget blocked the eviction just now",
            List.of(WORK),
            blocked(NOW),
            LATER,
            NodeRemovalReason.BLOCKED_BY_BUDGET,
            ""),
        row(
            "a budget blocked the eviction some time ago",
            List.of(WORK),
            blocked(NOW.minusSeconds(10)),
            LATER,
            NodeRemovalReason.BLOCKED_BY_BUDGET,
            "evict work"),
        row(
            "the deadline passed: budgets are not respected",
            List.of(WORK),
            blocked(NOW),
            PAST,
            NodeRemovalReason.FORCED,
            "delete work in 30s"),
        row(
            "the deadline passed: a long grace period is shortened",
            List.of(SLOW),
            UNTRIED,
            PAST,
            NodeRemovalReason.FORCED,
            "delete slow in 30s"),
        row(
            "the deadline passed: the drain waits for a short grace period",
            List.of(ENDING),
            UNTRIED,
            PAST,
            NodeRemovalReason.FORCED,
            ""),
        row(
            "the deadline passed, and the grace period just now",
            List.of(JUST_OVER),
            UNTRIED,
            PAST,
            NodeRemovalReason.FORCED,
            ""),
        row(
            "the deadline passed, and the grace period a while ago",
            List.of(OVERDUE),
            UNTRIED,
            PAST,
            NodeRemovalReason.TERMINATING,
            ""),
        row(
            "a Pod was bound when the deadline passed, or as soon as a binding takes",
            List.of(IN_TIME, LATE),
            UNTRIED,
            PAST,
            NodeRemovalReason.FORCED,
            "delete work in 30s"),
        row(
            "only Pods are left that were bound after the deadline",
            List.of(LATE),
            UNTRIED,
            PAST,
            NodeRemovalReason.TERMINATING,
            ""));
  }

  private static Arguments row(
      String situation,
      List<Pod> pods,
      Map<String, MachineSnapshot.Attempt> attempts,
      Instant forceAt,
      NodeRemovalReason reason,
      String does) {
    return Arguments.of(situation, pods, attempts, forceAt, reason, does);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void aDrainPlansAndReports(
      String situation,
      List<Pod> pods,
      Map<String, MachineSnapshot.Attempt> attempts,
      Instant forceAt,
      NodeRemovalReason reason,
      String does) {
    Drain drain =
        new Drain(
            NODE,
            attempts,
            pods,
            DisruptionLimits.leaving(forceAt),
            NOW,
            PlanSettings.DEFAULTS,
            DisruptedNode.MACHINE_STOPPED);

    assertThat(drain.report().reason()).isEqualTo(reason);
    assertThat(drain.isDone()).isEqualTo(reason == NodeRemovalReason.TERMINATING);
    assertThat(drain.plannedActions().stream().map(plannedAction -> words(plannedAction.action())))
        .isEqualTo(Stream.of(does.split(", ")).filter(each -> !each.isEmpty()).toList());
  }

  @Test
  void volumesThatAreStillAttachedAreWaitedForUntilTheDeadline() {
    Node attached = NODE.withStatus(NODE.status().withVolumes(2));
    for (Instant forceAt : List.of(NOW.plusSeconds(60), PAST)) {
      Drain drain =
          new Drain(
              attached,
              UNTRIED,
              List.of(DAEMON),
              DisruptionLimits.leaving(forceAt),
              NOW,
              PlanSettings.DEFAULTS,
              DisruptedNode.MACHINE_STOPPED);

      assertThat(drain.report().reason())
          .isEqualTo(
              forceAt.equals(PAST) ? NodeRemovalReason.TERMINATING : NodeRemovalReason.DETACHING);
    }
  }

  private static String words(Action action) {
    return action instanceof Action.DeletePod(Action.Subject.OfPod pod, Optional<Duration> grace)
        ? "delete " + pod.name() + grace.map(each -> " in " + Messages.duration(each)).orElse("")
        : action instanceof Action.EvictPod evict ? "evict " + evict.subject().name() : "other";
  }

  @Test
  void thePodsThatWereBoundAfterTheDeadlineAreNamed() {
    Drain drain =
        new Drain(
            NODE,
            UNTRIED,
            List.of(LATE, DAEMON),
            DisruptionLimits.leaving(PAST),
            NOW,
            PlanSettings.DEFAULTS,
            DisruptedNode.MACHINE_STOPPED);

    assertThat(drain.report().message())
        .isEqualTo(
            "No Pods are left to be evicted but 1 Pod bound after the drain's deadline at %s: ReplicaSet default/other; its machine is stopped."
                .formatted(Messages.instant(PAST)));
  }

  /**
   * A Pod that takes its time to end keeps it until the machine goes; one that was kept does not.
   */
  @Test
  void beforeAStopInstantOnlyPodsAreDeletedThatAreNotEndingYet() {
    Pod slow = pod("slow", "Job", false, Pod.Interruption.NONE, Optional.of(NOW.plusSeconds(3600)));
    DisruptionLimits limits =
        new DisruptionLimits(new DisruptionEnding.Leave(), PAST, Optional.of(NOW.plusSeconds(29)));

    Drain both =
        new Drain(
            NODE,
            UNTRIED,
            List.of(slow, WORK),
            limits,
            NOW,
            PlanSettings.DEFAULTS,
            DisruptedNode.MACHINE_STOPPED);
    Drain ending =
        new Drain(
            NODE,
            UNTRIED,
            List.of(slow),
            limits,
            NOW,
            PlanSettings.DEFAULTS,
            DisruptedNode.MACHINE_STOPPED);

    assertThat(both.report().reason()).isEqualTo(NodeRemovalReason.FORCED);
    assertThat(both.plannedActions().stream().map(each -> words(each.action())))
        .containsExactly("delete work in 30s");
    assertThat(ending.report().reason()).isEqualTo(NodeRemovalReason.DRAINING);
    assertThat(ending.report().message()).contains("ends with its machine");
    assertThat(ending.plannedActions()).isEmpty();
    assertThat(ending.isDone()).isFalse();
  }
}
