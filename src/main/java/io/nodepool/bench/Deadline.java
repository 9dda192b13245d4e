package io.nodepool.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** All the waiting of one measurement, which together has an end. */
public final class Deadline {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final LongSupplier nanoTime;
  private final long longest;
  private final long begun;

  /**
   * Patience from now on.
   *
   * @param longest how long everything may take
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
   * @param what the condition as a message names it: "the pool is at its target"
   * @throws BenchFailure if the time is over before
   */
  public void await(String what, BooleanSupplier condition) {
    await(what, LOOK_EVERY, condition);
  }

  /** The same, looking more or less often. */
  public void await(String what, Duration every, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (left() <= 0) {
        throw BenchFailure.timedOut(
            "After %d s it is still not so that %s."
                .formatted(TimeUnit.NANOSECONDS.toSeconds(longest), what));
      }
      pass(every);
    }
  }

  /** Lets a stretch of time pass, for that is what is measured. */
  void pass(Duration time) {
    try {
      var _ = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw BenchFailure.because("It was interrupted.");
    }
  }

  private long left() {
    return longest - (nanoTime.getAsLong() - begun);
  }
}
