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
 * Hands on what an informer sees of one kind. An object that cannot be read is logged once for each
 * reason and handed on as such. Called by one thread at a time.
 */
public final class ObjectFeed<T extends HasMetadata> {
  private static final Logger log = LoggerFactory.getLogger(ObjectFeed.class);

  private final String kind;
  private final Consumer<T> seen;
  private final Consumer<T> gone;
  private final BiConsumer<T, UnreadableObjectException> cannot;

  /** What was last said to be unreadable, by UID. */
  private final Map<String, String> unreadable = new HashMap<>();

  /**
   * A feed of one kind.
   *
   * @param seen gets each state of each object
   * @param gone gets the last known state of an object that is gone
   * @param cannot gets each state of an object that cannot be read, and why
   */
  public ObjectFeed(
      String kind,
      Consumer<T> seen,
      Consumer<T> gone,
      BiConsumer<T, UnreadableObjectException> cannot) {
    this.kind = kind;
    this.seen = seen;
    this.gone = gone;
    this.cannot = cannot;
  }

  /** An object is there. */
  public void added(T object) {
    hand(object, seen);
  }

  /** An object changed, or another one has its name now. */
  public void updated(T before, T object) {
    if (!ObjectFacts.uid(before).equals(ObjectFacts.uid(object))) {
      deleted(before);
    }
    hand(object, seen);
  }

  /** An object is gone. */
  public void deleted(T object) {
    unreadable.remove(ObjectFacts.uid(object));
    hand(object, gone);
  }

  private void hand(T object, Consumer<T> to) {
    String uid = ObjectFacts.uid(object);
    try {
      to.accept(object);
      unreadable.remove(uid);
    } catch (UnreadableObjectException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(unreadable.put(uid, why))) {
        log.warn("{} {} cannot be read: {}", kind, ObjectFacts.name(object), why);
      }
      cannot.accept(object, e);
    }
  }
}
