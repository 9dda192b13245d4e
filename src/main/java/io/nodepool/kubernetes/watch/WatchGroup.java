package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.Informable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The watches of a controller, all of whose observations are delivered on one thread. */
public final class WatchGroup implements AutoCloseable {
  private final Executor thread;
  private final List<KindWatch<?>> watches = new ArrayList<>();

  /** A group without watches. */
  public WatchGroup(Executor thread) {
    this.thread = thread;
  }

  /** Adds a watch; it starts with the group. */
  public <T extends HasMetadata> void add(
      String kind, Informable<T> what, Supplier<T> empty, Consumer<T> seen, Consumer<T> gone) {
    watches.add(
        new KindWatch<>(
            kind,
            what,
            SlimStore.identityOnly(empty),
            object -> thread.execute(() -> seen.accept(object)),
            object -> thread.execute(() -> gone.accept(object))));
  }

  /**
   * Starts all watches.
   *
   * @param listed runs on the thread once every kind was listed
   */
  public void start(Runnable listed) {
    var _ =
        CompletableFuture.allOf(
                watches.stream().map(KindWatch::listed).toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> thread.execute(listed));
    watches.forEach(KindWatch::start);
  }

  /** Whether every kind was listed once, and changes are received. */
  public boolean isWatching() {
    return watches.stream().allMatch(KindWatch::isWatching);
  }

  @Override
  public void close() {
    watches.forEach(KindWatch::close);
  }
}
