package io.nodepool.control;

import io.nodepool.model.ReconcileKey;

/** Schedules a run of a loop for a key; several requests before the run give one run. */
@FunctionalInterface
public interface Waker {
  /** Requests a run. */
  void wake(ReconcileKey key);
}
