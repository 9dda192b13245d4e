package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.nodepool.vocabulary.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Metrics that are served together and removed together. */
final class MeterGroup {
  private final MeterRegistry registry;
  private final List<Meter> meters = new ArrayList<>();
  private final List<MultiGauge> rows = new ArrayList<>();

  /** The registry refers weakly to what a counter reads, which would then stand still. */
  private final List<LongSupplier> counted = new ArrayList<>();

  MeterGroup(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Registers a gauge whose value is read at each scrape, on the thread of the scrape. */
  void gauge(Metric metric, Tags tags, Supplier<Number> value) {
    meters.add(
        Gauge.builder(metric.id(), value)
            .description(metric.meaning())
            .tags(tags)
            .register(registry));
  }

  /** Registers a counter whose value is read at each scrape, likewise. */
  void counter(Metric metric, Tags tags, LongSupplier count) {
    counted.add(count);
    meters.add(
        FunctionCounter.builder(metric.id(), count, LongSupplier::getAsLong)
            .description(metric.meaning())
            .tags(tags)
            .register(registry));
  }

  /** A counter that is incremented. */
  Counter counter(Metric metric) {
    Counter counter = Counter.builder(metric.id()).description(metric.meaning()).register(registry);
    meters.add(counter);
    return counter;
  }

  /** A timer; a histogram with these bounds of its buckets, if there are any. */
  Timer timer(Metric metric, Tags tags, Duration... bounds) {
    Timer timer =
        Timer.builder(metric.id())
            .description(metric.meaning())
            .tags(tags)
            .serviceLevelObjectives(bounds)
            .register(registry);
    meters.add(timer);
    return timer;
  }

  /** A gauge whose label values come and go. */
  MultiGauge rows(Metric metric) {
    MultiGauge gauge =
        MultiGauge.builder(metric.id()).description(metric.meaning()).register(registry);
    rows.add(gauge);
    return gauge;
  }

  /** Removes all of them. */
  void remove() {
    rows.forEach(each -> each.register(List.of(), true));
    meters.forEach(registry::remove);
  }
}
