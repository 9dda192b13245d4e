package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the observations of an informer of one kind. An object that cannot be read is logged
 * once for each reason and delivered as unreadable. Called by one thread at a time.
 */
public final class ObjectFeed<T extends HasMetadata> {
  private static final Logger log = LoggerFactory.getLogger(ObjectFeed.class);

  private final String kind;
  private final Consumer<T> seen;
  private final Consumer<T> gone;
  private final BiConsumer<T, UnreadableObjectException> onUnreadable;

  /** The reason that was last logged for each unreadable object, by UID. */
  private final Map<String, String> unreadable = new HashMap<>();

  /**
   * A feed of one kind.
   *
   * @param seen receives each state of each object
   * @param gone receives the last observed state of a deleted object
   * @param onUnreadable receives each state of an object that cannot be read, and why
   */
  public ObjectFeed(
      String kind,
      Consumer<T> seen,
      Consumer<T> gone,
      BiConsumer<T, UnreadableObjectException> onUnreadable) {
    this.kind = kind;
    this.seen = seen;
    this.gone = gone;
    this.onUnreadable = onUnreadable;
  }

  /** An object was added. */
  public void added(T object) {
    deliver(object, seen);
  }

  /** An object changed, or was replaced by another of the same name. */
  public void updated(T before, T object) {
    if (!ObjectFacts.uid(before).equals(ObjectFacts.uid(object))) {
      deleted(before);
    }
    deliver(object, seen);
  }

  /** An object was deleted. */
  public void deleted(T object) {
    unreadable.remove(ObjectFacts.uid(object));
    deliver(object, gone);
  }

  private void deliver(T object, Consumer<T> to) {
    String uid = ObjectFacts.uid(object);
    try {
      to.accept(object);
      unreadable.remove(uid);
    } catch (UnreadableObjectException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(unreadable.put(uid, why))) {
        log.warn("{} {} cannot be read: {}", kind, ObjectFacts.name(object), why);
      }
      onUnreadable.accept(object, e);
    }
  }
}
