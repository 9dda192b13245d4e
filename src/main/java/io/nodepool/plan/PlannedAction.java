package io.nodepool.plan;

import java.util.List;
import java.util.stream.Stream;

/**
 * An action and the Events that are emitted before it.
 *
 * @param why the reason for the action, in a few words for logs
 */
public record PlannedAction(List<EventDraft> eventDrafts, Action action, String why) {
  public PlannedAction {
    eventDrafts = List.copyOf(eventDrafts);
  }

  /** This action with these Events emitted before its own. */
  public PlannedAction after(List<EventDraft> earlier) {
    return new PlannedAction(
        Stream.concat(earlier.stream(), eventDrafts.stream()).toList(), action, why);
  }

  /** This action for another reason. */
  public PlannedAction because(String reason) {
    return new PlannedAction(eventDrafts, action, reason);
  }

  /** An action without Events. */
  public static PlannedAction quiet(Action action, String why) {
    return new PlannedAction(List.of(), action, why);
  }
}
