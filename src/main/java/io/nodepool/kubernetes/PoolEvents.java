package io.nodepool.kubernetes;

import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.nodepool.kubernetes.api.NodePool;
import java.util.Set;

/**
 * Makes the runtime run a pool's loop because something else than the NodePool itself changed. One
 * raised before the runtime has started, or knows the pool, is dropped: the pool's own event
 * follows then.
 */
final class PoolEvents extends AbstractEventSource<Void, NodePool> {
  PoolEvents() {
    super(Void.class, "pool-events");
  }

  /** Asks for a run. */
  void raise(String pool) {
    if (isRunning()) {
      getEventHandler().handleEvent(new Event(new ResourceID(pool)));
    }
  }

  @Override
  public Set<Void> getSecondaryResources(NodePool pool) {
    return Set.of();
  }
}
