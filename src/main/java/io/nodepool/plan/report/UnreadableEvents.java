package io.nodepool.plan.report;

import io.nodepool.fleet.PoolId;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import java.util.List;

/**
 * Events about objects that exist and cannot be read. Such an object counts as present, and no
 * action is taken on it or on what depends on it.
 */
public final class UnreadableEvents {
  private UnreadableEvents() {}

  /** The action for a pool: a live read, which shows whether the pool still cannot be read. */
  public static PlannedAction pool(PoolId pool, String why) {
    return of(
        EventDraft.Regarding.of(pool),
        "NodePool " + pool.name(),
        new Action.Subject.OfPool(pool),
        why);
  }

  /**
   * The action for a machine.
   *
   * @param uid the UID of its Node; empty text if no Node was ever read
   * @param subject the object that cannot be read
   */
  public static PlannedAction machine(String name, String uid, Action.Subject subject, String why) {
    return of(
        new EventDraft.Regarding(EventTarget.NODE, name, uid), "Machine " + name, subject, why);
  }

  private static PlannedAction of(
      EventDraft.Regarding regarding, String what, Action.Subject subject, String why) {
    EventDraft unreadable =
        new EventDraft(
            EventReason.OBJECT_UNREADABLE,
            regarding,
            why,
            "%s is left as it is, because it cannot be read: %s. Put right what is stored, or take it away."
                .formatted(what, why));
    return new PlannedAction(List.of(unreadable), new Action.Confirm(subject), "it cannot be read");
  }
}
