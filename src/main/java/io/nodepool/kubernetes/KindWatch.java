package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches one kind. Lists are paged and consistent. An object that cannot be read is said
 * to be so once and handed on as such; it never ends the watch.
 */
public final class KindWatch<T extends HasMetadata>
    implements ResourceEventHandler<T>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KindWatch.class);
  private static final long PAGE = 500;

  private final String kind;
  private final Consumer<T> seen;
  private final Consumer<T> gone;
  private final BiConsumer<T, UnreadableObjectException> cannot;
  private final SharedIndexInformer<T> informer;
  private final CompletableFuture<Void> listed = new CompletableFuture<>();
  private final OutageLog outage;

  /** What was last said to be unreadable, by UID. */
  private final Map<String, String> unreadable = new HashMap<>();

  /**
   * A watch that has not begun.
   *
   * @param slim makes a new object with little of the given one, enough for {@code gone}
   * @param seen gets each state of each object
   * @param gone gets the last known state of an object that is gone
   * @param cannot gets each state of an object that cannot be read, and why
   */
  public KindWatch(
      String kind,
      Informable<T> source,
      UnaryOperator<T> slim,
      Consumer<T> seen,
      Consumer<T> gone,
      BiConsumer<T, UnreadableObjectException> cannot) {
    this.kind = kind;
    this.outage =
        new OutageLog(
            "the watch of %ss failed and is tried again".formatted(kind),
            System::nanoTime,
            log::warn,
            log::info);
    this.seen = seen;
    this.gone = gone;
    this.cannot = cannot;
    this.informer =
        source
            .withLimit(PAGE)
            .runnableInformer(0)
            .removeNamespaceIndex()
            .itemStore(new SlimStore<>(slim))
            .exceptionHandler((started, failure) -> tryAgain(failure))
            .addEventHandler(this);
  }

  /** A watch of objects that can all be read. */
  public KindWatch(
      String kind,
      Informable<T> source,
      UnaryOperator<T> slim,
      Consumer<T> seen,
      Consumer<T> gone) {
    this(kind, source, slim, seen, gone, (object, why) -> {});
  }

  /** Begins; failures are tried again until closed. */
  public void start() {
    informer
        .start()
        .whenComplete((nothing, failure) -> {
          if (failure != null) {
            log.debug("the watch of {} did not start", kind, failure);
          }
        });
  }

  /** Done when every object of the first list was handed on. */
  public CompletableFuture<Void> listed() {
    return listed;
  }

  /**
   * Whether everything was listed once and changes are asked for. A watch over plain HTTP that is
   * quiet cannot be told from one that is about to be asked for again.
   */
  public boolean isWatching() {
    return listed.isDone() && informer.isRunning();
  }

  private boolean tryAgain(Throwable failure) {
    Throwable root = rootOf(failure);
    // Some failures to connect have no message.
    outage.failed(root.getMessage() == null ? root.toString() : root.getMessage());
    return true;
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** Whether there is no object of the kind, as far as is known. */
  public boolean isEmpty() {
    return informer.getStore().listKeys().isEmpty();
  }

  @Override
  public void onAdd(T object) {
    hand(object, seen);
  }

  @Override
  public void onUpdate(T before, T object) {
    if (!ObjectFacts.uid(before).equals(ObjectFacts.uid(object))) {
      hand(before, gone);
    }
    hand(object, seen);
  }

  @Override
  public void onDelete(T object, boolean finalStateUnknown) {
    unreadable.remove(ObjectFacts.uid(object));
    hand(object, gone);
  }

  @Override
  public void onList(String version, boolean remainedEmpty) {
    listed.complete(null);
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

  @Override
  public void close() {
    informer.stop();
    listed.cancel(false);
  }
}
