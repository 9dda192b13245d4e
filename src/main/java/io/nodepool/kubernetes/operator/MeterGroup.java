package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.nodepool.vocabulary.Metric;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Metrics that are served together and removed together. */
final class MeterGroup {
  /** The bounds of the buckets of durations, from a quick verification to a long training run. */
  private static final Duration[] DURATIONS = {
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(2),
    Duration.ofMinutes(5),
    Duration.ofMinutes(10),
    Duration.ofMinutes(20),
    Duration.ofMinutes(40),
    Duration.ofHours(1),
    Duration.ofHours(3),
    Duration.ofHours(12),
    Duration.ofHours(48)
  };

  private final MeterRegistry registry;
  private final InstantSource clock;

  /** The labels that all metrics of the group have. */
  private final Tags common;

  private final Set<Meter> meters = new LinkedHashSet<>();
  private final Map<Metric, MultiGauge> gauges = new EnumMap<>(Metric.class);

  /** The rows that {@link #show} collects, by the gauge that serves them. */
  private final Map<Metric, List<MultiGauge.Row<?>>> added = new EnumMap<>(Metric.class);

  /** The values that counters read, kept here since the registry refers to them weakly. */
  private final List<DoubleSupplier> counted = new ArrayList<>();

  /**
   * @param clock the clock by which ages count
   */
  MeterGroup(MeterRegistry registry, InstantSource clock) {
    this(registry, clock, Tags.empty());
  }

  private MeterGroup(MeterRegistry registry, InstantSource clock, Tags common) {
    this.registry = registry;
    this.clock = clock;
    this.common = common;
  }

  /** A group that is removed separately and whose metrics all have these labels. */
  MeterGroup apart(Tags labels) {
    return new MeterGroup(registry, clock, labels);
  }

  /** Registers a gauge whose value is read at each scrape, on the thread of the scrape. */
  void gauge(Metric metric, Tags tags, Supplier<Number> value) {
    meters.add(
        Gauge.builder(metric.id(), value)
            .description(metric.meaning())
            .tags(common.and(tags))
            .register(registry));
  }

  /** Registers a counter, which is read in the same way as a gauge. */
  void counter(Metric metric, Tags tags, DoubleSupplier count) {
    counted.add(count);
    meters.add(
        FunctionCounter.builder(metric.id(), count, DoubleSupplier::getAsDouble)
            .description(metric.meaning())
            .tags(common.and(tags))
            .register(registry));
  }

  /** A timer. */
  Timer timer(Metric metric, Tags tags) {
    return register(Timer.builder(metric.id()), metric, tags);
  }

  /**
   * A timer for durations of seconds to days, with a histogram; always the same timer for these
   * labels.
   */
  Timer durations(Metric metric, Tags tags) {
    return register(Timer.builder(metric.id()).serviceLevelObjectives(DURATIONS), metric, tags);
  }

  private Timer register(Timer.Builder builder, Metric metric, Tags tags) {
    Timer timer = builder.description(metric.meaning()).tags(common.and(tags)).register(registry);
    meters.add(timer);
    return timer;
  }

  /** A gauge whose label values come and go. */
  MultiGauge rows(Metric metric) {
    return gauges.computeIfAbsent(
        metric,
        _ ->
            MultiGauge.builder(metric.id())
                .description(metric.meaning())
                .tags(common)
                .register(registry));
  }

  /** Adds a row to such a gauge, within {@link #show}. */
  void row(Metric metric, Tags tags, Number value) {
    row(metric, tags, () -> value);
  }

  /** Adds a row whose value is read at each scrape. */
  void row(Metric metric, Tags tags, Supplier<Number> value) {
    added.computeIfAbsent(metric, _ -> new ArrayList<>()).add(MultiGauge.Row.of(tags, value));
  }

  /** Serves the rows that are added by this call, and no earlier rows. */
  void show(Runnable adding) {
    added.clear();
    adding.run();
    added.keySet().forEach(this::rows);
    gauges.forEach((metric, gauge) -> gauge.register(added.getOrDefault(metric, List.of()), true));
  }

  /** The time since this instant in seconds. */
  double age(Instant since) {
    return Math.max(0, Duration.between(since, clock.instant()).toMillis()) / 1000.0;
  }

  /** Removes all metrics of the group. */
  void remove() {
    gauges.values().forEach(each -> each.register(List.of(), true));
    meters.forEach(registry::remove);
  }
}
