package io.nodepool.plan.node;

import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Evicts the Pods of a Node: ordinary Pods first, then system-critical Pods. In both groups
 * interruptible Pods come first, in the same plan. Pods that belong to the Node, such as those of
 * DaemonSets, stay. PodDisruptionBudgets are respected until the deadline (contract §11, decisions
 * D20 and D93). A Pod that is bound after the deadline tolerates the cordon; the drain does not
 * wait for it, because it may be replaced for ever (decision D105).
 *
 * @param attempts the results of the last attempts to evict or delete, by the Pod's UID
 * @param pods the Pods bound to the Node
 * @param limits when budgets are no longer respected, and the drain no longer waits for Pods whose
 *     grace period has ended; and when the machine stops with the Pods that are left
 * @param endText what becomes of the Node when it is drained, for messages
 */
record Drain(
    Node node,
    Map<String, MachineSnapshot.Attempt> attempts,
    List<Pod> pods,
    DisruptionLimits limits,
    Instant now,
    PlanSettings settings,
    String endText) {
  private static final int NAMED = 3;

  /** The greatest number of evictions that one plan starts. */
  private static final int MOST_EVICTIONS = 32;

  /**
   * The time after a Pod's grace period in which its kubelet may kill the remaining processes and
   * report that. Without this time, a Pod that ends in time would count as cut off.
   */
  private static final Duration REPORTED = Duration.ofSeconds(2);

  /** The grace period of a Pod that may be interrupted at once (decision D93). */
  private static final Duration INTERRUPTION = Duration.ofSeconds(1);

  /**
   * A Pod that is bound later than this after the deadline does not count. The API server's clock
   * dates the binding, and this operator's clock may be wrong by an hour.
   */
  private static final Duration LATE = Duration.ofHours(2);

  /** Pods that still have to end. */
  private List<Pod> remaining() {
    return toEnd().filter(pod -> !isLate(pod)).toList();
  }

  /** Pods that were bound after the deadline, when all earlier bindings had arrived. */
  private List<Pod> late() {
    return toEnd().filter(this::isLate).toList();
  }

  private Stream<Pod> toEnd() {
    return pods.stream()
        .filter(pod -> !NodeActivity.staysOnNode(pod))
        .filter(pod -> NodeActivity.isLive(pod, node, now))
        .filter(pod -> !(isForced() && graceIsOver(pod)));
  }

  private boolean isLate(Pod pod) {
    return pod.execution().boundAt().isAfter(limits.forceAt().plus(LATE));
  }

  private boolean isForced() {
    return !now.isBefore(limits.forceAt());
  }

  /**
   * Whether Pods are deleted now. If the machine stops at a fixed instant, Pods that are already
   * terminating keep the rest of their grace period until then.
   */
  private boolean isForcing() {
    return isForced()
        && (limits.stopAt().isEmpty()
            || remaining().stream().anyMatch(pod -> pod.deletedAt().isEmpty()));
  }

  /** Whether the kubelet had the time to end the Pod. */
  private boolean graceIsOver(Pod pod) {
    return pod.deletedAt().filter(ends -> !ends.plus(REPORTED).isAfter(now)).isPresent();
  }

  /** Whether no Pod is left to wait for. */
  boolean isDone() {
    return remaining().isEmpty();
  }

  /** The remaining Pods, as text for messages. */
  String left() {
    return "%s left: %s"
        .formatted(
            Messages.count(remaining().size(), "Pod"),
            Messages.list(NodeActivity.owners(remaining().stream()), NAMED));
  }

  /**
   * The Pods that were bound too late to be drained, as text after the message about all other
   * Pods; empty text if there are none.
   */
  String exceptLate() {
    List<Pod> late = late();
    return late.isEmpty()
        ? ""
        : " but %s bound after the drain's deadline at %s: %s"
            .formatted(
                Messages.count(late.size(), "Pod"),
                Messages.instant(limits.forceAt()),
                Messages.list(NodeActivity.owners(late.stream()), NAMED));
  }

  /** Whether the drain still waits for volumes of the Pods. */
  boolean isDetaching() {
    return isDone() && node.status().volumes() > 0 && !isForced();
  }

  /** CWNodeRemoval while the machine waits for volumes. */
  Node.Removing detaching() {
    return new Node.Removing(
        NodeRemovalReason.DETACHING,
        "All Pods are gone; %s still attached. Waited for until %s."
            .formatted(
                node.status().volumes() == 1
                    ? "1 volume is"
                    : node.status().volumes() + " volumes are",
                Messages.instant(limits.forceAt())));
  }

  /** The reason and message of CWNodeRemoval. */
  Node.Removing report() {
    if (remaining().isEmpty()) {
      return isDetaching() ? detaching() : stopped();
    }
    if (isForcing()) {
      return new Node.Removing(
          NodeRemovalReason.FORCED,
          "The drain's deadline passed at %s; deleting %s."
              .formatted(Messages.instant(limits.forceAt()), left()));
    }
    List<Pod> blocked = remaining().stream().filter(this::isBlocked).toList();
    if (!blocked.isEmpty()) {
      return new Node.Removing(
          NodeRemovalReason.BLOCKED_BY_BUDGET,
          "Budgets block the eviction of %s: %s. Tried again every %s; deleted at %s.%s"
              .formatted(
                  Messages.count(blocked.size(), "Pod"),
                  Messages.list(blocked.stream().map(this::blockedText).sorted().toList(), NAMED),
                  Messages.duration(settings.drain().evictionRetry()),
                  Messages.instant(limits.forceAt()),
                  stop()));
    }
    return new Node.Removing(
        NodeRemovalReason.DRAINING,
        limits
            .stopAt()
            .filter(_ -> isForced())
            .map(stop ->
                "%s. What is left at %s ends with its machine."
                    .formatted(left(), Messages.instant(stop)))
            .orElseGet(() ->
                "%s. What is left at %s is deleted.%s"
                    .formatted(left(), Messages.instant(limits.forceAt()), stop())));
  }

  /** When its machine stops, as text after the instant of force; empty text if it waits. */
  private String stop() {
    return limits
        .stopAt()
        .map(stop -> " Its machine stops at %s.".formatted(Messages.instant(stop)))
        .orElse("");
  }

  /** The stage of the drain. */
  DrainStage stage() {
    return switch (report().reason()) {
      case DRAINING -> DrainStage.BEGUN;
      case BLOCKED_BY_BUDGET -> DrainStage.BLOCKED;
      case FORCED -> DrainStage.FORCED;
      case MARKED, DETACHING, VERIFYING, TERMINATING, PRESERVED, AWAITING_FINALIZERS ->
          DrainStage.NONE;
    };
  }

  /** CWNodeRemoval once the machine is stopped: nothing more is evicted, whatever is left. */
  Node.Removing stopped() {
    return new Node.Removing(
        NodeRemovalReason.TERMINATING,
        remaining().isEmpty()
            ? "No Pods are left to be evicted%s; %s.".formatted(exceptLate(), endText)
            : "Its machine is stopped, with %s.".formatted(left()));
  }

  /**
   * Whether the eviction of a Pod was not tried yet, for example after a restart. The last reported
   * reason is then the best one available.
   */
  boolean isUntried() {
    return phase().stream().anyMatch(pod -> tried(pod).isEmpty() && pod.deletedAt().isEmpty());
  }

  private boolean isBlocked(Pod pod) {
    return pod.deletedAt().isEmpty() && blockedBy(pod).isPresent();
  }

  private Optional<MachineSnapshot.Attempt> tried(Pod pod) {
    return Optional.ofNullable(attempts.get(pod.uid()));
  }

  private Optional<String> blockedBy(Pod pod) {
    return tried(pod).flatMap(MachineSnapshot.Attempt::blockedBy);
  }

  private String blockedText(Pod pod) {
    return "%s/%s (%s)".formatted(pod.namespace(), pod.name(), blockedBy(pod).orElse(""));
  }

  /** The evictions and deletions that are due now. */
  List<PlannedAction> plannedActions() {
    List<PlannedAction> plannedActions = new ArrayList<>();
    for (Pod pod : phase()) {
      if (plannedActions.size() < MOST_EVICTIONS && isToEnd(pod) && isDue(pod)) {
        plannedActions.add(end(pod));
      }
    }
    return plannedActions;
  }

  /**
   * System-critical Pods are evicted only when no other Pod is left. Interruptible Pods come first:
   * they make room for the work that must move (decision D262).
   */
  private List<Pod> phase() {
    List<Pod> ordinary = remaining().stream().filter(pod -> !pod.eviction().critical()).toList();
    return (ordinary.isEmpty() ? remaining() : ordinary)
        .stream().sorted(Comparator.comparing(pod -> !NodeActivity.isInterruptible(pod))).toList();
  }

  /**
   * After the deadline, a Pod that is already terminating is deleted again if its grace period is
   * too long, unless its machine stops at a fixed instant.
   */
  private boolean isToEnd(Pod pod) {
    return pod.deletedAt()
        .map(ends ->
            limits.stopAt().isEmpty()
                && isForced()
                && ends.isAfter(now.plus(settings.drain().forcedGrace())))
        .orElse(true);
  }

  private boolean isDue(Pod pod) {
    return retryAt(pod).filter(at -> at.isAfter(now)).isEmpty();
  }

  /** After the deadline, a budget does not delay the next attempt. */
  private Optional<Instant> retryAt(Pod pod) {
    return tried(pod)
        .filter(last -> !(isForced() && last.blockedBy().isPresent()))
        .map(last -> last.at().plus(settings.drain().evictionRetry()));
  }

  private PlannedAction end(Pod pod) {
    Action.Subject.OfPod subject =
        new Action.Subject.OfPod(pod.namespace(), pod.name(), pod.uid(), pod.nodeName());
    if (isForced()) {
      Duration longest =
          pod.interruption() == Pod.Interruption.AT_ONCE
              ? INTERRUPTION
              : settings.drain().forcedGrace();
      Duration own = pod.eviction().grace();
      Duration grace = own.compareTo(longest) < 0 ? own : longest;
      return PlannedAction.quiet(
          new Action.DeletePod(subject, Optional.of(grace)), "the drain's deadline has passed");
    }
    return switch (pod.interruption()) {
      case GRACEFUL ->
          PlannedAction.quiet(
              new Action.DeletePod(subject, Optional.empty()),
              "its Node is drained, and it may be interrupted gracefully");
      case AT_ONCE ->
          PlannedAction.quiet(
              new Action.EvictPod(subject, Optional.of(INTERRUPTION)),
              "its Node is drained, and it may be interrupted at once");
      case NONE, STANDBY ->
          PlannedAction.quiet(
              new Action.EvictPod(subject, Optional.empty()), "its Node is drained");
    };
  }

  /** When to plan again if nothing changes. */
  Optional<Instant> wakeup() {
    if (remaining().isEmpty()) {
      return Optional.empty();
    }
    Stream<Instant> ends =
        remaining().stream()
            .flatMap(pod -> pod.deletedAt().stream())
            .map(end -> end.plus(REPORTED));
    Stream<Instant> retries = remaining().stream().flatMap(pod -> retryAt(pod).stream());
    return Stream.concat(Stream.of(limits.forceAt()), Stream.concat(ends, retries))
        .filter(at -> at.isAfter(now))
        .min(Instant::compareTo);
  }
}
