package io.nodepool.control;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import java.util.List;
import java.util.function.Consumer;

/**
 * The port to the API server: turns intents into writes. Every call is answered exactly once,
 * later, on the decision thread and never on the caller's stack.
 */
public interface Writer {
  /**
   * Emits the Events, in order, and then carries out the action. An Event that was emitted before
   * is updated, not duplicated. If an Event cannot be emitted, the action is not carried out. An
   * Event that the server refuses repeatedly or permanently is dropped, and the action is carried
   * out without it.
   *
   * @param answer receives the object as it is after the action
   */
  void submit(List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer);

  /** Reads an object live, without any cache; Done with a Gone observation if it does not exist. */
  void read(Action.Subject subject, Consumer<Answer<Observation>> answer);
}
