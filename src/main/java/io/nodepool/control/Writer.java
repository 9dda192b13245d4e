package io.nodepool.control;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import java.util.List;
import java.util.function.Consumer;

/**
 * The way out: intents become writes. Every call is answered exactly once, later, on the decision
 * thread and never on the caller's stack.
 */
public interface Writer {
  /**
   * Emits the Events, in order, and then carries out the action. An Event that was emitted before
   * is brought up to date, not doubled. If an Event cannot be emitted, the action is not carried
   * out either; one that the server refuses again and again, or for good, is given up, and the
   * action is carried out without it.
   *
   * @param answer gets the object as it stands after the action
   */
  void submit(List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer);

  /**
   * Reads an object live, past every cache; Done with a Gone observation where it does not exist.
   */
  void read(Action.Subject subject, Consumer<Answer<Observation>> answer);
}
