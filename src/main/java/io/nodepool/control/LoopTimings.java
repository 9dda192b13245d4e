package io.nodepool.control;

import io.nodepool.control.write.BackOff;
import java.time.Duration;

/**
 * All durations of the loops.
 *
 * @param betweenPlans least time between two plans of one pool
 * @param betweenStatuses least time between two status writes of one pool
 * @param backOff the waits after a failure of a write on an object, and before one that was done is
 *     done again
 */
public record LoopTimings(Duration betweenPlans, Duration betweenStatuses, BackOff backOff) {
  /** The product's defaults. */
  public static final LoopTimings DEFAULTS =
      new LoopTimings(Duration.ofMillis(200), Duration.ofMillis(500), BackOff.DEFAULTS);
}
