package io.nodepool.receiver;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.nodepool.vocabulary.Metric;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/** The metrics of a receiver. Safe for any thread. */
final class ReceiverMeters {
  private final MeterRegistry registry;
  private final LongSupplier nanoTime;
  private final Map<AlertOutcome, Counter> alerts = new EnumMap<>(AlertOutcome.class);
  private final Counter ended;
  private final Counter weaker;
  private final Counter refused;

  /** When each unanswered notification arrived, by {@link #nanoTime}. */
  private final Map<Object, Long> pending = new ConcurrentHashMap<>();

  /**
   * Registers the metrics.
   *
   * @param nanoTime the monotonic clock
   */
  ReceiverMeters(MeterRegistry registry, LongSupplier nanoTime) {
    this.registry = registry;
    this.nanoTime = nanoTime;
    for (AlertOutcome outcome : AlertOutcome.values()) {
      alerts.put(outcome, counter(Metric.RECEIVER_ALERTS, "outcome", outcome.word()));
    }
    this.ended = counter(Metric.RECEIVER_DISPLACED, "reason", "ended");
    this.weaker = counter(Metric.RECEIVER_DISPLACED, "reason", "weaker");
    this.refused = counter(Metric.RECEIVER_DISPLACED, "reason", "refused");
    Gauge.builder(Metric.RECEIVER_OLDEST_PENDING.id(), this::oldest)
        .description(Metric.RECEIVER_OLDEST_PENDING.meaning())
        .register(registry);
  }

  private Counter counter(Metric metric, String label, String value) {
    return Counter.builder(metric.id())
        .description(metric.meaning())
        .tag(label, value)
        .register(registry);
  }

  private double oldest() {
    long now = nanoTime.getAsLong();
    long age = pending.values().stream().mapToLong(since -> now - since).max().orElse(0);
    return age / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /**
   * Records that a request arrived. The result must be called with the code of the answer, or 0 if
   * the connection is closed without an answer.
   */
  IntConsumer begin() {
    long since = nanoTime.getAsLong();
    Object notification = new Object();
    pending.put(notification, since);
    return code -> {
      pending.remove(notification);
      Timer.builder(Metric.RECEIVER_ANSWERS.id())
          .description(Metric.RECEIVER_ANSWERS.meaning())
          .tag("code", Integer.toString(code))
          .register(registry)
          .record(nanoTime.getAsLong() - since, TimeUnit.NANOSECONDS);
    };
  }

  /** Counts alerts by their outcome. */
  void count(Map<AlertOutcome, Integer> outcomes) {
    outcomes.forEach(
        (outcome, number) -> Objects.requireNonNull(alerts.get(outcome)).increment(number));
  }

  /** Counts signals that were removed from full maps. */
  void displaced(int thatEnded, int thatAreWeaker) {
    ended.increment(thatEnded);
    weaker.increment(thatAreWeaker);
  }

  /** Counts received signals for which a full map has no room. */
  void refused(int number) {
    refused.increment(number);
  }
}
