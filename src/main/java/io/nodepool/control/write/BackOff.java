package io.nodepool.control.write;

import java.time.Duration;

/**
 * How long something is left alone between tries: twice as long with each, up to a longest wait.
 *
 * @param first the wait after the first try
 * @param longest where the doubling ends
 */
public record BackOff(Duration first, Duration longest) {
  /** Of every client of the API server that is a part of this product (decision D94). */
  public static final BackOff DEFAULTS =
      new BackOff(Duration.ofMillis(250), Duration.ofSeconds(30));

  private static final int QUIET = 4;

  /** The wait after so many tries, at least one. */
  public Duration after(int tries) {
    Duration wait = first.multipliedBy(1L << Math.min(tries - 1, 20));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }

  /** After so long without a try the next one is a first one again. */
  public Duration forgottenAfter() {
    return longest.multipliedBy(QUIET);
  }
}
