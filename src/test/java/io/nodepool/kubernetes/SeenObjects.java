package io.nodepool.kubernetes;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/**
 * Passes on every state of each watched object, and its last one.
 *
 * @param seen receives each state
 * @param gone receives the last state of an object that was deleted
 */
record SeenObjects<T>(Consumer<T> seen, Consumer<T> gone) implements ResourceEventHandler<T> {
  /** Ignores deletions. */
  SeenObjects(Consumer<T> seen) {
    this(seen, _ -> {});
  }

  @Override
  public void onAdd(T object) {
    seen.accept(object);
  }

  @Override
  public void onUpdate(T before, T object) {
    seen.accept(object);
  }

  @Override
  public void onDelete(T object, boolean finalStateUnknown) {
    gone.accept(object);
  }
}
