package io.nodepool.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An action and the Events that are emitted before it.
 *
 * @param why the reason for the action, in a few words for logs
 * @param outcome the end of a preemption, which metrics count once the action is done; empty if it
 *     ends none
 */
public record PlannedAction(
    List<EventDraft> eventDrafts, Action action, String why, Optional<PreemptionOutcome> outcome) {
  public PlannedAction {
    eventDrafts = List.copyOf(eventDrafts);
  }

  /** An action that ends no preemption. */
  public PlannedAction(List<EventDraft> eventDrafts, Action action, String why) {
    this(eventDrafts, action, why, Optional.empty());
  }

  /** This action with these Events emitted before its own. */
  public PlannedAction after(List<EventDraft> earlier) {
    return withEvents(Stream.concat(earlier.stream(), eventDrafts.stream()).toList());
  }

  /** This action with other Events. */
  public PlannedAction withEvents(List<EventDraft> next) {
    return new PlannedAction(next, action, why, outcome);
  }

  /** This action for another reason. */
  public PlannedAction because(String reason) {
    return new PlannedAction(eventDrafts, action, reason, outcome);
  }

  /** This action as the end of a preemption. */
  public PlannedAction with(PreemptionOutcome next) {
    return new PlannedAction(eventDrafts, action, why, Optional.of(next));
  }

  /** An action without Events. */
  public static PlannedAction quiet(Action action, String why) {
    return new PlannedAction(List.of(), action, why);
  }
}
