package io.nodepool.control;

import java.time.Duration;

/**
 * All durations of the loops.
 *
 * @param betweenPlans least time between two plans of one pool
 * @param betweenStatuses least time between two status writes of one pool
 * @param firstRetry wait after the first failure of a write on an object, and before one that was
 *     done is done again; doubles with each further one
 * @param longestRetry where the doubling ends
 */
public record Timings(
    Duration betweenPlans, Duration betweenStatuses, Duration firstRetry, Duration longestRetry) {
  /** The product's defaults. */
  public static final Timings DEFAULTS =
      new Timings(
          Duration.ofMillis(200),
          Duration.ofMillis(500),
          Duration.ofMillis(250),
          Duration.ofSeconds(30));

  /** The waits between tries of one write. */
  BackOff backOff() {
    return new BackOff(firstRetry, longestRetry);
  }
}
