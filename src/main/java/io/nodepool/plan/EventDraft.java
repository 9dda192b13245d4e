package io.nodepool.plan;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;

/**
 * An Event to emit before the write that it announces.
 *
 * @param occasion distinguishes this occurrence from others of the same reason on the same object;
 *     with the reason and the object's UID it names the Event, so that emitting it again changes
 *     nothing
 * @param count the number of objects or changes that it reports
 */
public record EventDraft(
    EventReason reason, Regarding regarding, String occasion, String message, int count) {
  /** The greatest size of a message, in bytes. */
  private static final int LARGEST_MESSAGE = 1024;

  /** An Event about one occurrence. */
  public EventDraft(EventReason reason, Regarding regarding, String occasion, String message) {
    this(reason, regarding, occasion, message, 1);
  }

  /** An Event about one occurrence on this Node. */
  public EventDraft(EventReason reason, Node node, String occasion, String message) {
    this(reason, Regarding.of(node), occasion, message);
  }

  /** An Event about one occurrence on this pool. */
  public EventDraft(EventReason reason, PoolId pool, String occasion, String message) {
    this(reason, Regarding.of(pool), occasion, message);
  }

  public EventDraft {
    message = Messages.cut(message, LARGEST_MESSAGE);
  }

  /** The object that an Event is about. */
  public record Regarding(EventTarget kind, String name, String uid) {
    /** This NodePool. */
    public static Regarding of(PoolId pool) {
      return new Regarding(EventTarget.POOL, pool.name(), pool.uid());
    }

    /** This Node. */
    public static Regarding of(Node node) {
      return new Regarding(EventTarget.NODE, node.name(), node.uid());
    }
  }
}
