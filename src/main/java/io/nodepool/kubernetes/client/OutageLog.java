package io.nodepool.kubernetes.client;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Says that something fails: at its first failure, then at most once a minute and with how often it
 * failed meanwhile, however often it is tried. Safe for any thread.
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
  private int unsaid;

  /** Whether the last line said that it fails, and none that it is over. */
  private boolean open;

  /**
   * A log of failures of one thing.
   *
   * @param what what fails, as the beginning of a sentence
   * @param nanoTime the monotonic clock
   * @param failing gets the lines that say so
   * @param over gets a line when what was said to fail works again
   */
  public OutageLog(
      String what, LongSupplier nanoTime, Consumer<String> failing, Consumer<String> over) {
    this.what = what;
    this.nanoTime = nanoTime;
    this.failing = failing;
    this.over = over;
  }

  /** Notes a failure. */
  public synchronized void failed(String why) {
    unsaid++;
    long now = nanoTime.getAsLong();
    if (saidBefore && now - saidAt < BETWEEN_LINES.toNanos()) {
      return;
    }
    failing.accept(
        unsaid == 1
            ? "%s: %s".formatted(what, why)
            : "%s: %s (%d failures since the last such line)".formatted(what, why, unsaid));
    saidBefore = true;
    saidAt = now;
    unsaid = 0;
    open = true;
  }

  /** Notes that it works. */
  public synchronized void worked() {
    if (open) {
      over.accept("%s no longer".formatted(what));
      open = false;
    }
  }
}
