package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.client.OutageLog;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
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
  private final ObjectFeed<T> feed;
  private final SharedIndexInformer<T> informer;
  private final CompletableFuture<Void> listed = new CompletableFuture<>();
  private final OutageLog outage;

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
    this(kind, source, slim, new ObjectFeed<>(kind, seen, gone, cannot));
  }

  /** A watch that has not begun and hands on what it sees in this way. */
  KindWatch(String kind, Informable<T> source, UnaryOperator<T> slim, ObjectFeed<T> feed) {
    this.kind = kind;
    this.outage =
        new OutageLog(
            "the watch of %ss failed and is tried again".formatted(kind),
            System::nanoTime,
            log::warn,
            log::info);
    this.feed = feed;
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

  /** The Pods that are bound to a Node and have not finished. */
  public static Informable<Pod> boundPods(KubernetesClient client) {
    return client
        .pods()
        .inAnyNamespace()
        .withoutField("spec.nodeName", "")
        .withoutField("status.phase", "Succeeded")
        .withoutField("status.phase", "Failed");
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
    feed.added(object);
  }

  @Override
  public void onUpdate(T before, T object) {
    feed.updated(before, object);
  }

  @Override
  public void onDelete(T object, boolean finalStateUnknown) {
    feed.deleted(object);
  }

  @Override
  public void onList(String version, boolean remainedEmpty) {
    listed.complete(null);
  }

  @Override
  public void close() {
    informer.stop();
    listed.cancel(false);
  }
}
