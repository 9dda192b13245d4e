package io.nodepool.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The deadline that all waits of one measurement share. */
public final class Deadline {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final LongSupplier nanoTime;
  private final long longest;
  private final long begun;

  /**
   * A deadline that starts now.
   *
   * @param longest the time until the deadline
   * @param nanoTime the monotonic clock
   */
  public Deadline(Duration longest, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.longest = longest.toNanos();
    this.begun = nanoTime.getAsLong();
  }

  /**
   * Waits until a condition holds.
   *
   * @param what the condition in the error message: "the pool is at its target"
   * @throws BenchFailure if the deadline passes first
   */
  public void await(String what, BooleanSupplier condition) {
    await(what, LOOK_EVERY, condition);
  }

  /** The same with another polling interval. */
  public void await(String what, Duration every, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (left() <= 0) {
        throw BenchFailure.timedOut(
            "Timed out after %d s waiting until %s."
                .formatted(TimeUnit.NANOSECONDS.toSeconds(longest), what));
      }
      pass(every);
    }
  }

  /** Waits for a fixed time that is part of the measurement. */
  void pass(Duration time) {
    try {
      var _ = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw BenchFailure.because("The measurement was interrupted.");
    }
  }

  private long left() {
    return longest - (nanoTime.getAsLong() - begun);
  }
}
