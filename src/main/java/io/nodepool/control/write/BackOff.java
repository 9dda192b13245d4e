package io.nodepool.control.write;

import java.time.Duration;

/**
 * An exponential back-off: the wait doubles with each attempt, up to a longest wait.
 *
 * @param first the wait after the first attempt
 * @param longest the longest wait
 */
public record BackOff(Duration first, Duration longest) {
  /** The waits of every API client in this product (decision D94). */
  public static final BackOff DEFAULTS =
      new BackOff(Duration.ofMillis(250), Duration.ofSeconds(30));

  private static final int QUIET = 4;

  /** The wait after this number of attempts, at least 1. */
  public Duration after(int tries) {
    Duration wait = first.multipliedBy(1L << Math.min(tries - 1, 20));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }

  /** The time without an attempt after which the count starts again. */
  public Duration forgottenAfter() {
    return longest.multipliedBy(QUIET);
  }
}
