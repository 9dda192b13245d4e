package io.nodepool.bench.measure;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The deadline that all waits of one measurement share. It starts with the first wait: earlier
 * steps, such as the build of a control plane, are not measured.
 */
public final class Deadline {
  private static final Duration CHECK_EVERY = Duration.ofMillis(100);

  private final LongSupplier nanoTime;
  private final long longest;
  private OptionalLong begun = OptionalLong.empty();

  /**
   * A deadline that has not started yet.
   *
   * @param longest the time from the first wait until the deadline
   * @param nanoTime the monotonic clock
   */
  public Deadline(Duration longest, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.longest = longest.toNanos();
  }

  /**
   * Waits until a condition holds.
   *
   * @param what the condition in the error message: "the pool is at its target"
   * @throws BenchFailure if the deadline passes first
   */
  public void await(String what, BooleanSupplier condition) {
    await(what, CHECK_EVERY, condition);
  }

  /** The same with another polling interval. */
  public void await(String what, Duration every, BooleanSupplier condition) {
    var _ = begun();
    while (!condition.getAsBoolean()) {
      if (left() <= 0) {
        throw BenchFailure.timedOut(
            "Timed out after %d s waiting until %s."
                .formatted(TimeUnit.NANOSECONDS.toSeconds(longest), what));
      }
      pass(every);
    }
  }

  /** Waits until two reads in a row return the same value; an empty read never equals another. */
  public void awaitSame(String what, Duration every, Supplier<Optional<?>> read) {
    Optional<?>[] last = {Optional.empty()};
    await(
        what,
        every,
        () -> {
          Optional<?> before = last[0];
          last[0] = read.get();
          return before.isPresent() && before.equals(last[0]);
        });
  }

  /** Waits for a fixed time that is part of the measurement. */
  public void pass(Duration time) {
    try {
      var _ = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw BenchFailure.interrupted();
    }
  }

  private long left() {
    return longest - (nanoTime.getAsLong() - begun());
  }

  private long begun() {
    if (begun.isEmpty()) {
      begun = OptionalLong.of(nanoTime.getAsLong());
    }
    return begun.getAsLong();
  }
}
