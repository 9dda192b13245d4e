package io.nodepool.plan;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The plan of one machine.
 *
 * @param plannedActions the actions to submit now, each on a different object; empty if there is
 *     nothing to do
 * @param wakeup when to plan again if nothing changes
 */
public record MachinePlan(List<PlannedAction> plannedActions, Optional<Instant> wakeup) {
  /** A plan without an action, valid until something changes. */
  public static final MachinePlan NOTHING = new MachinePlan(List.of(), Optional.empty());

  public MachinePlan {
    plannedActions = List.copyOf(plannedActions);
  }

  /** A plan of this action alone, or an empty one. */
  public static MachinePlan of(Optional<PlannedAction> plannedAction) {
    return new MachinePlan(plannedAction.stream().toList(), Optional.empty());
  }

  /** A plan of this action alone. */
  public static MachinePlan of(PlannedAction plannedAction) {
    return new MachinePlan(List.of(plannedAction), Optional.empty());
  }

  /** A plan without an action, to be replaced at this time. */
  public static MachinePlan waiting(Instant until) {
    return new MachinePlan(List.of(), Optional.of(until));
  }

  /** This plan, with this action before its own. */
  public MachinePlan after(PlannedAction first) {
    return new MachinePlan(
        Stream.concat(Stream.of(first), plannedActions.stream()).toList(), wakeup);
  }

  /** This plan, with these Events before its first action; unchanged without Events or actions. */
  public MachinePlan after(List<EventDraft> events) {
    return events.isEmpty() || plannedActions.isEmpty()
        ? this
        : new MachinePlan(
            Stream.concat(
                    Stream.of(plannedActions.getFirst().after(events)),
                    plannedActions.stream().skip(1))
                .toList(),
            wakeup);
  }

  /** This plan, to be replaced at this time at the latest. */
  public MachinePlan or(Optional<Instant> earlier) {
    return new MachinePlan(
        plannedActions, Stream.concat(wakeup.stream(), earlier.stream()).min(Instant::compareTo));
  }
}
