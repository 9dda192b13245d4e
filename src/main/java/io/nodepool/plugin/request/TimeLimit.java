package io.nodepool.plugin.request;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The time-out of a command, from its start; without a time-out it never ends. */
public final class TimeLimit {
  /** The longest time of one watch. */
  static final Duration LONGEST_WATCH = Duration.ofMinutes(5);

  private final Optional<Duration> timeout;
  private final LongSupplier nanos;
  private final long begin;

  /** A limit that begins now. */
  public TimeLimit(Optional<Duration> timeout, LongSupplier nanos) {
    this.timeout = timeout;
    this.nanos = nanos;
    this.begin = nanos.getAsLong();
  }

  /** The time that has passed. */
  public Duration passed() {
    return Duration.ofNanos(nanos.getAsLong() - begin);
  }

  /** Whether the time is over. */
  public boolean isOver() {
    return timeout.filter(limit -> passed().compareTo(limit) >= 0).isPresent();
  }

  /** How long a watch may last now. */
  public Duration watch() {
    return atMost(LONGEST_WATCH);
  }

  /** A time, or the remaining time if that is less. */
  public Duration atMost(Duration time) {
    Duration left = timeout.map(limit -> limit.minus(passed())).orElse(time);
    Duration shorter = left.compareTo(time) < 0 ? left : time;
    return shorter.isNegative() ? Duration.ZERO : shorter;
  }

  /** The limit in words. */
  public String text() {
    return timeout.map(limit -> limit.toSeconds() + " s").orElse("no time");
  }
}
