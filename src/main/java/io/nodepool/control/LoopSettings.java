package io.nodepool.control;

import io.nodepool.control.write.BackOff;
import java.time.Duration;

/**
 * The durations of the loops.
 *
 * @param betweenPlans shortest time between two plans of one pool
 * @param betweenStatuses shortest time between two status writes of one pool
 * @param backOff the waits after a failed write, and before a successful one is repeated
 */
public record LoopSettings(Duration betweenPlans, Duration betweenStatuses, BackOff backOff) {
  /** The product's defaults. */
  public static final LoopSettings DEFAULTS =
      new LoopSettings(Duration.ofMillis(200), Duration.ofMillis(500), BackOff.DEFAULTS);
}
