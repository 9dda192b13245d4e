package io.nodepool.plan;

import io.nodepool.vocabulary.EventReason;

/**
 * An Event to be emitted before the write that makes it true for good.
 *
 * @param occasion what makes this occurrence different from others of the same reason on the same
 *     object; with the reason and the object's UID it names the event, so that emitting it again
 *     changes nothing
 * @param count how many things it is about
 */
public record EventDraft(
    EventReason reason, Regarding regarding, String occasion, String message, int count) {
  /** The object that an event is about. */
  public record Regarding(Kind kind, String name, String uid) {}

  /** Kinds that events are about. */
  public enum Kind {
    /** A NodePool. */
    NODE_POOL,
    /** A Node. */
    NODE,
    /** A Namespace. */
    NAMESPACE
  }
}
