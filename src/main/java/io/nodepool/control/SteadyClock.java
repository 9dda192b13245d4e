package io.nodepool.control;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clock of one process. It starts at the wall clock's time, advances with the monotonic clock,
 * and follows the wall clock slowly: at most 1 % faster or slower than real time, and never
 * backwards. A wall clock that is set therefore neither ends a wait nor prolongs it, and an instant
 * recorded on an object stays as far ahead as it was. Thread-safe.
 */
public final class SteadyClock implements InstantSource {
  /** The largest adjustment, as a divisor of the time that has passed. */
  private static final long ADJUSTMENT = 100;

  private final InstantSource wall;
  private final LongSupplier nanoTime;

  /** The monotonic clock's value at the last read. {@link #read} is this clock's time then. */
  private long readNanos;

  private Instant read;

  /**
   * Creates a clock that starts now.
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

  /** Returns the difference, limited to this length in either direction. */
  private static Duration atMost(Duration limit, Duration difference) {
    if (difference.abs().compareTo(limit) <= 0) {
      return difference;
    }
    return difference.isNegative() ? limit.negated() : limit;
  }
}
