package io.nodepool.kubernetes.client;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs the failures of one operation: the first at once, then at most one line a minute with the
 * number of failures since the last line. Safe for any thread.
 */
public final class OutageLog {
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

  private final String what;
  private final LongSupplier nanoTime;
  private final Consumer<String> failing;
  private final Consumer<String> over;
  private boolean saidBefore;
  private long saidAt;

  /** Failures since the last line. */
  private int unreported;

  /** Whether the last line reported a failure. */
  private boolean reported;

  /**
   * A log of the failures of one operation.
   *
   * @param what the failure, as the beginning of a sentence
   * @param nanoTime the monotonic clock
   * @param failing receives the lines about failures
   * @param over receives a line when a reported failure is over
   */
  public OutageLog(
      String what, LongSupplier nanoTime, Consumer<String> failing, Consumer<String> over) {
    this.what = what;
    this.nanoTime = nanoTime;
    this.failing = failing;
    this.over = over;
  }

  /**
   * A log of the failures of one operation, as warnings.
   *
   * @param what the failure, as the beginning of a sentence
   */
  public static OutageLog of(String what, Logger log) {
    return new OutageLog(what, System::nanoTime, log::warn, log::info);
  }

  /** Records a failure. */
  public synchronized void failed(String why) {
    unreported++;
    long now = nanoTime.getAsLong();
    if (saidBefore && now - saidAt < BETWEEN_LINES.toNanos()) {
      return;
    }
    failing.accept(
        unreported == 1
            ? "%s: %s".formatted(what, why)
            : "%s: %s (%d failures since the last such line)".formatted(what, why, unreported));
    saidBefore = true;
    saidAt = now;
    unreported = 0;
    reported = true;
  }

  /** Records a success. */
  public synchronized void worked() {
    if (reported) {
      over.accept("%s: recovered".formatted(what));
      reported = false;
    }
  }
}
