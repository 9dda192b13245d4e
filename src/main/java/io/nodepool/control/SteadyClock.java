package io.nodepool.control;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The time of one process. It starts with the wall clock, advances with the monotonic clock, and
 * follows the wall clock only slowly: at most 1 % faster or slower than real time, and never
 * backwards. A wall clock that is set therefore neither ends a wait nor prolongs it, and an instant
 * on an object that was ahead stays as far ahead as it was. Safe for any thread.
 */
public final class SteadyClock implements InstantSource {
  /** One part in so many of the time that has passed may be added or left out. */
  private static final long ADJUSTMENT = 100;

  private final InstantSource wall;
  private final LongSupplier nanoTime;

  /** When the clock was last read, by the monotonic clock and by its own time. */
  private long readNanos;

  private Instant read;

  /**
   * A clock that starts now.
   *
   * @param wall the wall clock
   * @param nanoTime the monotonic clock, as {@link System#nanoTime}
   */
  public SteadyClock(InstantSource wall, LongSupplier nanoTime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
    this.readNanos = nanoTime.getAsLong();
    this.read = wall.instant();
  }

  @Override
  public synchronized Instant instant() {
    long nanos = nanoTime.getAsLong();
    long passed = nanos - readNanos;
    if (passed > 0) {
      Instant unadjusted = read.plusNanos(passed);
      Duration behind = Duration.between(unadjusted, wall.instant());
      read = unadjusted.plus(atMost(Duration.ofNanos(passed / ADJUSTMENT), behind));
      readNanos = nanos;
    }
    return read;
  }

  /** The second, made so short that it is no longer than the first in either direction. */
  private static Duration atMost(Duration limit, Duration difference) {
    if (difference.abs().compareTo(limit) <= 0) {
      return difference;
    }
    return difference.isNegative() ? limit.negated() : limit;
  }
}
