package io.nodepool.control;

/** Makes a loop run for a key, soon and once, however often it is asked. */
@FunctionalInterface
public interface Waker {
  /** Asks for a run. */
  void wake(ReconcileKey key);
}
