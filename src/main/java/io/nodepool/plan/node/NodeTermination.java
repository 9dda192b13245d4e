package io.nodepool.plan.node;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The one path on which a Node leaves once its disruption is committed: its Pods are evicted,
 * listed live once more, and its machine is stopped when none is left, or when an instant from
 * outside has come.
 */
final class NodeTermination {
  private final DisruptedNode subject;
  private final Node node;
  private final NodeRecord record;
  private final NodeDisruption disruption;
  private final Instant now;

  NodeTermination(DisruptedNode subject, NodeDisruption disruption) {
    this.subject = subject;
    this.node = subject.node();
    this.record = subject.record();
    this.disruption = disruption;
    this.now = subject.now();
  }

  /** The next step of a Node whose drain has begun. */
  MachinePlan drain(Disruption.Committed removal) {
    if (NodeDeletion.isAwaited(node)) {
      return MachinePlan.of(NodeDeletion.report(node));
    }
    if (removal.limits().isStopDue(now)) {
      return MachinePlan.of(cutOff(removal));
    }
    Stream<Instant> outside =
        Stream.concat(removal.limits().stopAt().stream(), subject.demands().progressAt().stream());
    Optional<Instant> next = outside.filter(at -> at.isAfter(now)).min(Instant::compareTo);
    RecordChange change = disruption.next(removal);
    MachinePlan plan =
        change instanceof RecordChange.Keep
            ? subject.kept(removal).orElseGet(() -> drain(removal, () -> stop(removal)))
            : record.plan(change);
    return plan.or(next);
  }

  /**
   * The next step of a Node that is drained for another ending than to leave.
   *
   * @param drained what follows when no Pod is left to evict, or at the instant of force
   */
  MachinePlan drainFor(Disruption.Committed reboot, Supplier<MachinePlan> drained) {
    return reboot.limits().isStopDue(now)
        ? drained.get()
        : drain(reboot, drained).or(reboot.limits().stopAt());
  }

  private MachinePlan drain(Disruption.Committed committed, Supplier<MachinePlan> drained) {
    return node.cordoned() ? continueDrain(committed, drained) : cordonAgain(committed, drained);
  }

  /**
   * The end of the window: the machine goes with whatever is left (decision D67). If no operator
   * ran when the drain of the preemption was due, that is announced now.
   */
  private PlannedAction cutOff(Disruption.Committed removal) {
    Drain left = subject.drain(subject.pods(), removal.limits());
    return subject
        .end(removal)
        .after(disruption.unshown(removal).map(DrainProgress::eventDraft).stream().toList())
        .withWhy(
            left.isDone()
                ? "the window of its preemption is over"
                : "the window of its preemption is over, with " + left.left());
  }

  /**
   * Cordons the Node again if another client uncordoned it, because evicted Pods could be scheduled
   * to it again. The drain's deadline applies whether or not that succeeds.
   */
  private MachinePlan cordonAgain(Disruption.Committed removal, Supplier<MachinePlan> drained) {
    PlannedAction again = record.write(new RecordChange.CordonAgain(removal, removal));
    if (now.isBefore(removal.forceAt())) {
      return MachinePlan.of(again).or(Optional.of(removal.forceAt()));
    }
    MachinePlan next = continueDrain(removal, drained);
    boolean taken =
        next.plannedActions().stream()
            .anyMatch(each -> each.action().subject().equals(again.action().subject()));
    return taken ? next : next.after(again);
  }

  private MachinePlan continueDrain(Disruption.Committed removal, Supplier<MachinePlan> drained) {
    Drain watched = subject.drain(subject.pods(), removal.limits());
    if (!watched.isDone()) {
      return evict(watched, removal);
    }
    // Pods that the watch has not delivered yet must be drained too.
    Optional<MachineSnapshot.Listing> listed = subject.listed();
    if (listed.isEmpty()) {
      return MachinePlan.of(subject.list("the watch shows no Pod to evict"));
    }
    Drain live = subject.drain(listed.get().pods(), removal.limits());
    if (!live.isDone()) {
      return evict(live, removal).or(Optional.of(listed.get().at().plus(DisruptedNode.LIST_VALID)));
    }
    return drained.get();
  }

  /** The end of a Node that is drained: its machine is stopped once its volumes are detached. */
  private MachinePlan stop(Disruption.Committed removal) {
    Drain drained = subject.drain(subject.pods(), removal.limits());
    if (drained.isDetaching()) {
      Optional<PlannedAction> reported =
          Optional.of(drained.detaching())
              .filter(this::isReportable)
              .map(removing -> report(removal, removing));
      return MachinePlan.of(reported).or(Optional.of(removal.forceAt()));
    }
    return subject.verified(removal).orElseGet(() -> endDrained(removal));
  }

  private MachinePlan endDrained(Disruption.Committed removal) {
    PlannedAction end = subject.end(removal);
    return end.action() instanceof Action.DeleteNode && node.deleting()
        ? MachinePlan.of(NodeDeletion.report(node))
        : MachinePlan.of(end(end, removal));
  }

  /** How long after its deadline a drain waits until the forced deletion is reported. */
  private static final Duration REPORT_FIRST = Duration.ofMinutes(1);

  /**
   * Reports a new stage before its evictions start; the report carries the Event that announces it.
   */
  private MachinePlan evict(Drain drain, Disruption.Committed removal) {
    MachinePlan evicted = new MachinePlan(drain.plannedActions(), drain.wakeup());
    Node.Removing next = subject.failing(drain.report());
    // CWNodeRemoval is about Nodes that leave (decision D73).
    boolean shown = removal.isLeaving() && isReportable(next) && !isForgotten(drain, next);
    boolean farther = drain.stage().compareTo(removal.drain()) > 0;
    if (!shown && !farther) {
      return evicted;
    }
    PlannedAction reported =
        farther
            ? record.write(new RecordChange.Drained(removal, drain, shown))
            : report(removal, next);
    Instant reportDeadline = removal.forceAt().plus(REPORT_FIRST);
    return next.reason() == NodeRemovalReason.FORCED && now.isBefore(reportDeadline)
        ? MachinePlan.of(reported).or(Optional.of(reportDeadline))
        : evicted.after(reported);
  }

  /**
   * Whether a budget blocked the drain before a restart and it is not known yet whether it still
   * does.
   */
  private boolean isForgotten(Drain drain, Node.Removing next) {
    return next.reason() == NodeRemovalReason.DRAINING
        && drain.isUntried()
        && node.removing()
            .filter(last -> last.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET)
            .isPresent();
  }

  /**
   * Whether the change needs a write: another reason, other budgets that block, another instant up
   * to which it waits, as after a preemption has joined, or another failure. A different number of
   * Pods does not.
   */
  private boolean isReportable(Node.Removing next) {
    return node.removing()
        .map(last ->
            last.reason() == next.reason()
                ? isChanged(last.message(), next)
                : !isForcedAlready(last, next))
        .orElse(true);
  }

  private static boolean isChanged(String last, Node.Removing next) {
    return switch (next.reason()) {
      case BLOCKED_BY_BUDGET -> !last.equals(next.message());
      case DRAINING, DETACHING, FORCED -> !wait(last).equals(wait(next.message()));
      case MARKED, VERIFYING, TERMINATING, PRESERVED, AWAITING_FINALIZERS -> false;
    };
  }

  /** What follows what is left: the instants, and what fails. */
  private static String wait(String message) {
    int end = message.indexOf(". ");
    return end < 0 ? "" : message.substring(end);
  }

  /** Whether Pods were deleted already, and those that are left only take their time to end. */
  private static boolean isForcedAlready(Node.Removing last, Node.Removing next) {
    return last.reason() == NodeRemovalReason.FORCED && next.reason() == NodeRemovalReason.DRAINING;
  }

  private PlannedAction report(Disruption.Committed removal, Node.Removing next) {
    return new PlannedAction(
        record.events().reported(removal, next),
        Action.WriteNode.reportRemoval(node, Optional.of(next)),
        next.reason().meaning());
  }

  private PlannedAction end(PlannedAction end, Disruption.Committed removal) {
    if (end.action() instanceof Action.OnHost(HostOperation.Preserve preserve)) {
      return end.after(record.events().preserved(removal, preserve.preserved()))
          .withWhy("it is drained, and kept for inspection");
    }
    String late = subject.drain(subject.pods(), removal.limits()).exceptLate();
    return end.after(record.events().prepared(removal, late, subject.endText()))
        .withWhy(removal.isRemoval() ? "it is drained" : "it is drained, for its preemption");
  }
}
