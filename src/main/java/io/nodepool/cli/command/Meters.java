package io.nodepool.cli.command;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.vocabulary.Metric;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;

/** The registry of this process's metrics, with the metrics of the Java runtime. */
public final class Meters implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collector = new JvmGcMetrics();

  /** Creates a registry with the meters of the Java runtime. */
  public Meters() {
    Gauge.builder(Metric.BUILD.id(), () -> 1)
        .description(Metric.BUILD.meaning())
        .tag("version", CommandEnvironment.version())
        .register(registry);
    collector.bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    ManagementFactory.getMemoryPoolMXBeans().forEach(this::addPeak);
  }

  private void addPeak(MemoryPoolMXBean pool) {
    Gauge.builder(Metric.JVM_MEMORY_PEAK.id(), pool, each -> each.getPeakUsage().getUsed())
        .description(Metric.JVM_MEMORY_PEAK.meaning())
        .tag("area", pool.getType() == MemoryType.HEAP ? "heap" : "nonheap")
        .tag("id", pool.getName())
        .strongReference(true)
        .register(registry);
  }

  /** The registry for further meters. */
  public PrometheusMeterRegistry registry() {
    return registry;
  }

  @Override
  public void close() {
    collector.close();
    registry.close();
  }
}
