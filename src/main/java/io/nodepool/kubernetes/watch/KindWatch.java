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
 * A list and watch of one kind. Lists are paged and consistent. An object that cannot be read is
 * logged once and delivered as unreadable; it never ends the watch.
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
  private volatile boolean closed;

  /**
   * A watch that has not started.
   *
   * @param slim makes a reduced copy of an object, enough for {@code gone}
   * @param seen receives each state of each object
   * @param gone receives the last observed state of a deleted object
   * @param onUnreadable receives each state of an object that cannot be read, and why
   */
  public KindWatch(
      String kind,
      Informable<T> source,
      UnaryOperator<T> slim,
      Consumer<T> seen,
      Consumer<T> gone,
      BiConsumer<T, UnreadableObjectException> onUnreadable) {
    this(kind, source, slim, new ObjectFeed<>(kind, seen, gone, onUnreadable));
  }

  /** A watch that has not started and delivers to this feed. */
  public KindWatch(String kind, Informable<T> source, UnaryOperator<T> slim, ObjectFeed<T> feed) {
    this.kind = kind;
    this.outage = OutageLog.of("the watch of %ss failed and is retried".formatted(kind), log);
    this.feed = feed;
    this.informer =
        source
            .withLimit(PAGE)
            .runnableInformer(0)
            .removeNamespaceIndex()
            .itemStore(new SlimStore<>(slim))
            .exceptionHandler((started, failure) -> logFailure(failure))
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

  /** Starts the watch. Failures are retried until it is closed. */
  public void start() {
    informer
        .start()
        .whenComplete((nothing, failure) -> {
          if (failure != null) {
            log.debug("the watch of {} did not start", kind, failure);
          }
        });
  }

  /** Completes when every object of the first list was delivered. */
  public CompletableFuture<Void> listed() {
    return listed;
  }

  /**
   * Whether everything was listed once and the informer is running. A silent watch over plain HTTP
   * cannot be distinguished from a watch that is about to be reopened.
   */
  public boolean isWatching() {
    return listed.isDone() && informer.isRunning();
  }

  /**
   * Logs a failure and returns true: the watch is retried. A closed watch is never retried, but
   * false would make the library log an error.
   */
  private boolean logFailure(Throwable failure) {
    if (closed) {
      return true;
    }
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

  /** Whether no object of the kind exists, as last observed. */
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
    closed = true;
    informer.stop();
    listed.cancel(false);
  }
}
