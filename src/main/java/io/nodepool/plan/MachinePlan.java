package io.nodepool.plan;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a machine's planner found.
 *
 * @param plannedActions what the machine does now, each about another object; empty when it has
 *     nothing to do
 * @param wakeup when to look again even if nothing happens
 */
public record MachinePlan(List<PlannedAction> plannedActions, Optional<Instant> wakeup) {
  /** Nothing to do until something happens. */
  public static final MachinePlan NOTHING = new MachinePlan(List.of(), Optional.empty());

  public MachinePlan {
    plannedActions = List.copyOf(plannedActions);
  }

  /** A plan of this action alone, or an empty one. */
  public static MachinePlan of(Optional<PlannedAction> plannedAction) {
    return new MachinePlan(plannedAction.stream().toList(), Optional.empty());
  }

  /** A plan of this action alone, or an empty one. */
  public static MachinePlan of(PlannedAction plannedAction) {
    return new MachinePlan(List.of(plannedAction), Optional.empty());
  }

  /** A plan without an action, to be made again at this time. */
  public static MachinePlan waiting(Instant until) {
    return new MachinePlan(List.of(), Optional.of(until));
  }

  /** This plan, looked at again at this time too. */
  public MachinePlan or(Optional<Instant> earlier) {
    return new MachinePlan(
        plannedActions, Stream.concat(wakeup.stream(), earlier.stream()).min(Instant::compareTo));
  }
}
