package io.nodepool.plan;

import java.util.List;
import java.util.stream.Stream;

/**
 * An action and the Events that are emitted before it.
 *
 * @param why the reason for the action, in a few words for logs
 * @param ended the causes that end with a deletion, which metrics count once it is done; what a
 *     write takes off the record of a Node ends without being named here
 */
public record PlannedAction(
    List<EventDraft> eventDrafts, Action action, String why, List<EndedCause> ended) {
  public PlannedAction {
    eventDrafts = List.copyOf(eventDrafts);
    ended = List.copyOf(ended);
  }

  /** An action that is no deletion of a disrupted Node. */
  public PlannedAction(List<EventDraft> eventDrafts, Action action, String why) {
    this(eventDrafts, action, why, List.of());
  }

  /** This action with these Events emitted before its own. */
  public PlannedAction after(List<EventDraft> earlier) {
    return withEvents(Stream.concat(earlier.stream(), eventDrafts.stream()).toList());
  }

  /** This action with other Events. */
  public PlannedAction withEvents(List<EventDraft> next) {
    return new PlannedAction(next, action, why, ended);
  }

  /** This action for another reason. */
  public PlannedAction because(String reason) {
    return new PlannedAction(eventDrafts, action, reason, ended);
  }

  /** This action as the end of these causes. */
  public PlannedAction ending(List<EndedCause> next) {
    return new PlannedAction(eventDrafts, action, why, next);
  }

  /** An action without Events. */
  public static PlannedAction quiet(Action action, String why) {
    return new PlannedAction(List.of(), action, why);
  }
}
