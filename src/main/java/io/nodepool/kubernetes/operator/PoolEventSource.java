package io.nodepool.kubernetes.operator;

import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.watch.ObjectFeed;
import io.nodepool.model.Observation;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The events of pools, in both directions: passes on the observations of the runtime's informer of
 * NodePools, and makes the runtime run a pool's loop when another object changed. An event raised
 * before the runtime has started, or before it has the pool in its cache, is dropped; the pool's
 * own event follows.
 */
public final class PoolEventSource extends AbstractEventSource<Void, NodePool>
    implements ResourceEventAware<NodePool> {
  private final ObjectFeed<NodePool> feed;

  /**
   * The futures that complete when a state of the pool was passed on, by name. Empty after the
   * first list.
   */
  private final Map<String, CompletableFuture<Void>> handedOn = new ConcurrentHashMap<>();

  private volatile boolean allHandedOn;

  /**
   * @param out receives observations of NodePools, in order, on threads of the runtime
   */
  PoolEventSource(Consumer<Observation> out) {
    super(Void.class, "pool-events");
    this.feed =
        new ObjectFeed<>(
            "NodePool",
            pool -> out.accept(new Observation.PoolSeen(PoolConversion.pool(pool))),
            pool ->
                out.accept(
                    new Observation.PoolGone(PoolConversion.id(pool), ObjectFacts.version(pool))),
            (pool, why) -> out.accept(PoolConversion.unreadable(pool, why)));
  }

  /** The feed for another watch of NodePools, while the runtime is not started. */
  ObjectFeed<NodePool> feed() {
    return feed;
  }

  /** Requests a run. */
  void raise(String pool) {
    if (isRunning()) {
      getEventHandler().handleEvent(new Event(new ResourceID(pool)));
    }
  }

  /**
   * Completes when a state of each pool in the runtime's cache was passed on. The runtime's start
   * ends when its cache is complete, which may be before the events of the list arrive here.
   *
   * @param pools the runtime's cache, after its start
   */
  CompletableFuture<Void> listed(Cache<NodePool> pools) {
    Stream<CompletableFuture<Void>> each = pools.keys().map(id -> handedOn(id.getName()));
    return CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
        .thenRun(() -> {
          allHandedOn = true;
          handedOn.clear();
        });
  }

  private CompletableFuture<Void> handedOn(String pool) {
    return handedOn.computeIfAbsent(pool, name -> new CompletableFuture<>());
  }

  private void noteHandedOn(NodePool pool) {
    if (!allHandedOn) {
      handedOn(ObjectFacts.name(pool)).complete(null);
    }
  }

  @Override
  public void onResourceCreated(NodePool pool) {
    feed.added(pool);
    noteHandedOn(pool);
  }

  @Override
  public void onResourceUpdated(NodePool pool, NodePool before) {
    feed.updated(before, pool);
    noteHandedOn(pool);
  }

  @Override
  public void onResourceDeleted(NodePool pool) {
    feed.deleted(pool);
    noteHandedOn(pool);
  }

  @Override
  public Set<Void> getSecondaryResources(NodePool pool) {
    return Set.of();
  }

  @Override
  public void stop() {
    super.stop();
    handedOn.values().forEach(each -> each.cancel(false));
  }
}
