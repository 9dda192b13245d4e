package io.nodepool.plan.node;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The one path on which a Node leaves once its disruption is committed: its Pods are evicted and
 * listed live once more. Its machine is stopped when no Pod is left, or at an instant from outside.
 */
record NodeTermination(
    DisruptedNode subject, NodeDisruption disruption, Disruption.Committed committed) {
  /** Its machine; empty if it has none any more. */
  private Optional<DrainedMachine> machine() {
    return subject.machine().map(seen -> new DrainedMachine(subject, seen, committed));
  }

  private Drain drainOf(List<Pod> pods) {
    return subject.drain(pods, committed.limits());
  }

  /** The next step of a Node whose drain has begun. */
  MachinePlan drain() {
    if (NodeDeletion.isAwaited(subject.node())) {
      return MachinePlan.of(NodeDeletion.report(subject.node()));
    }
    if (committed.limits().isStopDue(subject.now())) {
      return MachinePlan.of(cutOff());
    }
    Stream<Instant> outside =
        Stream.concat(
            committed.limits().stopAt().stream(), subject.demands().progressAt().stream());
    Optional<Instant> next =
        outside.filter(at -> at.isAfter(subject.now())).min(Instant::compareTo);
    RecordChange change = disruption.next(committed);
    MachinePlan plan =
        change instanceof RecordChange.Keep
            ? machine().flatMap(DrainedMachine::kept).orElseGet(() -> drain(this::stop))
            : change.plan();
    return plan.or(next);
  }

  /**
   * The next step of a Node that is drained but does not leave.
   *
   * @param drained what follows when no Pod is left to evict, or at the instant of force
   */
  MachinePlan drainFor(Supplier<MachinePlan> drained) {
    return committed.limits().isStopDue(subject.now())
        ? drained.get()
        : drain(drained).or(committed.limits().stopAt());
  }

  private MachinePlan drain(Supplier<MachinePlan> drained) {
    return subject.node().cordoned() ? continueDrain(drained) : cordonAgain(drained);
  }

  /**
   * The end of the window: the machine stops with all Pods that are left (decision D67). If no
   * operator ran when the drain of the preemption was due, the drain is announced now.
   */
  private PlannedAction cutOff() {
    Drain left = drainOf(subject.pods());
    return end()
        .after(disruption.unshown(committed).map(DrainProgress::eventDraft).stream().toList())
        .withWhy(
            left.isDone()
                ? "the window of its preemption is over"
                : "the window of its preemption is over, with " + left.left());
  }

  /**
   * Cordons the Node again if another client uncordoned it, because evicted Pods could be scheduled
   * to it again. The drain's deadline applies whether or not that succeeds.
   */
  private MachinePlan cordonAgain(Supplier<MachinePlan> drained) {
    PlannedAction again = subject.record().cordonAgain(committed, committed);
    if (subject.now().isBefore(committed.forceAt())) {
      return MachinePlan.of(again).or(Optional.of(committed.forceAt()));
    }
    MachinePlan next = continueDrain(drained);
    boolean taken =
        next.plannedActions().stream()
            .anyMatch(each -> each.action().subject().equals(again.action().subject()));
    return taken ? next : next.after(again);
  }

  private MachinePlan continueDrain(Supplier<MachinePlan> drained) {
    Drain watched = drainOf(subject.pods());
    if (!watched.isDone()) {
      return evict(watched);
    }
    // Pods that the watch has not delivered yet must be drained too.
    Optional<MachineSnapshot.Listing> listed = subject.listed();
    if (listed.isEmpty()) {
      return MachinePlan.of(subject.list("the watch shows no Pod to evict"));
    }
    Drain live = drainOf(listed.get().pods());
    if (!live.isDone()) {
      return evict(live).or(Optional.of(listed.get().at().plus(DisruptedNode.LIST_VALID)));
    }
    return drained.get();
  }

  /** The end of a Node that is drained: its machine is stopped once its volumes are detached. */
  private MachinePlan stop() {
    Drain drained = drainOf(subject.pods());
    if (drained.isDetaching()) {
      Optional<PlannedAction> reported =
          Optional.of(drained.detaching()).filter(this::isReportable).map(this::report);
      return MachinePlan.of(reported).or(Optional.of(committed.forceAt()));
    }
    return machine().flatMap(DrainedMachine::verified).orElseGet(this::endDrained);
  }

  private MachinePlan endDrained() {
    PlannedAction end = end();
    return end.action() instanceof Action.DeleteNode && subject.node().deleting()
        ? MachinePlan.of(NodeDeletion.report(subject.node()))
        : MachinePlan.of(announced(end));
  }

  /** How long after its deadline a drain waits until the forced deletion is reported. */
  private static final Duration REPORT_FIRST = Duration.ofMinutes(1);

  /**
   * Reports a new stage before its evictions start; the report carries the Event that announces it.
   */
  private MachinePlan evict(Drain drain) {
    MachinePlan evicted = new MachinePlan(drain.plannedActions(), drain.wakeup());
    Node.Removing next = subject.failing(drain.report());
    // CWNodeRemoval is about Nodes that leave (decision D73).
    boolean shown = committed.isLeaving() && isReportable(next) && !isForgotten(drain, next);
    boolean farther = drain.stage().compareTo(committed.drain()) > 0;
    if (!shown && !farther) {
      return evicted;
    }
    PlannedAction reported =
        farther ? subject.record().drained(committed, drain, shown) : report(next);
    Instant reportDeadline = committed.forceAt().plus(REPORT_FIRST);
    return next.reason() == NodeRemovalReason.FORCED && subject.now().isBefore(reportDeadline)
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
        && subject
            .node()
            .removing()
            .filter(last -> last.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET)
            .isPresent();
  }

  /**
   * Whether the change needs a write: another reason, other blocking budgets, another end of the
   * wait, for example after a preemption joined, or another failure. Another number of Pods needs
   * none.
   */
  private boolean isReportable(Node.Removing next) {
    return subject
        .node()
        .removing()
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

  /** The text after the remaining Pods: the instants and the failure. */
  private static String wait(String message) {
    int end = message.indexOf(". ");
    return end < 0 ? "" : message.substring(end);
  }

  /** Whether Pods were deleted already, and the remaining Pods only need time to end. */
  private static boolean isForcedAlready(Node.Removing last, Node.Removing next) {
    return last.reason() == NodeRemovalReason.FORCED && next.reason() == NodeRemovalReason.DRAINING;
  }

  private PlannedAction report(Node.Removing next) {
    return new PlannedAction(
        subject.events().reported(committed, next),
        Action.WriteNode.reportRemoval(subject.node(), Optional.of(next)),
        next.reason().meaning());
  }

  /** The last action, once no Pod is left to evict. */
  private PlannedAction end() {
    return machine()
        .map(DrainedMachine::end)
        .orElseGet(() -> NodeDeletion.delete(subject.node(), subject.pods(), Optional.empty()));
  }

  private PlannedAction announced(PlannedAction end) {
    if (end.action() instanceof Action.OnHost(HostOperation.Preserve preserve)) {
      return end.after(subject.events().preserved(committed, preserve.preserved()))
          .withWhy("it is drained, and kept for inspection");
    }
    if (end.action() instanceof Action.OnHost(HostOperation.Note _)) {
      // The action after this note is the end.
      return end;
    }
    String late = drainOf(subject.pods()).exceptLate();
    return end.after(subject.events().prepared(committed, late, subject.endText()))
        .withWhy(committed.isRemoval() ? "it is drained" : "it is drained, for its preemption");
  }
}
