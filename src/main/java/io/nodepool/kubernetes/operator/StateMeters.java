package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.nodepool.control.state.FreeHostTable;
import io.nodepool.control.state.HealthTable;
import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.health.DropReason;
import io.nodepool.vocabulary.Metric;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * The metrics of what the operator knows of machines: their health, what is happening to their
 * Nodes, and the Hosts that no pool holds. Sampled every few seconds on the decision thread, read
 * on any thread.
 */
final class StateMeters {
  private final MeterRegistry registry;
  private final InstantSource clock;
  private final List<Meter> meters = new ArrayList<>();
  private final MultiGauge standing;
  private final MultiGauge matters;
  private final MultiGauge nodesInWork;
  private final MultiGauge oldestInWork;
  private final MultiGauge hosts;
  private final MultiGauge quota;
  private volatile Map<DropReason, Integer> dropped = Map.of();
  private volatile Optional<Instant> oldestMatter = Optional.empty();
  private volatile int unreadableSignals;
  private volatile long unknownHosts;

  /**
   * @param clock the clock by which ages count
   */
  StateMeters(MeterRegistry registry, InstantSource clock) {
    this.registry = registry;
    this.clock = clock;
    this.standing = rows(Metric.ALERTS_STANDING);
    this.matters = rows(Metric.MATTERS);
    this.nodesInWork = rows(Metric.POOL_NODES_IN_WORK);
    this.oldestInWork = rows(Metric.POOL_NODES_IN_WORK_AGE);
    this.hosts = rows(Metric.HOSTS);
    this.quota = rows(Metric.QUOTA);
    gauge(Metric.MATTER_AGE, Tags.empty(), () -> oldestMatter.map(this::age).orElse(0.0));
    gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unreadable"), () -> unreadableSignals);
    gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unknown_host"), () -> unknownHosts);
    for (DropReason reason : DropReason.values()) {
      meters.add(
          FunctionCounter.builder(
                  Metric.SIGNALS_DROPPED.id(), this, own -> own.dropped.getOrDefault(reason, 0))
              .description(Metric.SIGNALS_DROPPED.meaning())
              .tags(Tags.of("reason", reason.word()))
              .register(registry));
    }
  }

  private MultiGauge rows(Metric metric) {
    return MultiGauge.builder(metric.id()).description(metric.meaning()).register(registry);
  }

  private void gauge(Metric metric, Tags tags, Supplier<Number> value) {
    meters.add(
        Gauge.builder(metric.id(), value)
            .description(metric.meaning())
            .tags(tags)
            .register(registry));
  }

  private double age(Instant since) {
    return Math.max(0, Duration.between(since, clock.instant()).toMillis()) / 1000.0;
  }

  /** Records what stands about the health of machines. */
  void sample(HealthTable health) {
    List<MultiGauge.Row<?>> alerts = new ArrayList<>();
    health
        .counts()
        .forEach((alert, count) ->
            alerts.add(
                MultiGauge.Row.of(
                    Tags.of("alert", alert.name(), "grade", alert.grade().word()), count)));
    standing.register(alerts, true);
    List<MultiGauge.Row<?>> things = new ArrayList<>();
    health
        .racks()
        .counts()
        .forEach((matter, count) ->
            things.add(
                MultiGauge.Row.of(
                    Tags.of(
                        "of", matter.ofRack() ? "rack" : "host", "grade", matter.grade().word()),
                    count)));
    matters.register(things, true);
    dropped = health.dropped();
    oldestMatter = health.racks().oldest();
    unreadableSignals = health.unreadable();
    unknownHosts = health.unknownHosts();
  }

  /** Records what is happening to the Nodes of pools. */
  void sample(NodesInWork work) {
    List<MultiGauge.Row<?>> counts = new ArrayList<>();
    List<MultiGauge.Row<?>> ages = new ArrayList<>();
    work.counts()
        .forEach((kind, count) -> {
          Tags tags =
              Tags.of(
                  "pool", kind.pool().name(), "cause", kind.cause(), "stage", kind.stage().word());
          counts.add(MultiGauge.Row.of(tags, count.nodes()));
          ages.add(MultiGauge.Row.of(tags, () -> age(count.oldest())));
        });
    nodesInWork.register(counts, true);
    oldestInWork.register(ages, true);
  }

  /** Records the Hosts that no pool holds, by instance type, and the fleet's quota. */
  void sample(
      SortedMap<String, SortedMap<FreeHostTable.Availability, Integer>> free,
      Optional<FleetOffer> offer) {
    List<MultiGauge.Row<?>> counts = new ArrayList<>();
    free.forEach((type, states) ->
        states.forEach((state, count) ->
            counts.add(
                MultiGauge.Row.of(Tags.of("instance_type", type, "state", state.word()), count))));
    hosts.register(counts, true);
    List<MultiGauge.Row<?>> quotas = new ArrayList<>();
    offer
        .map(FleetOffer::quota)
        .ifPresent(all ->
            all.forEach((type, nodes) ->
                quotas.add(MultiGauge.Row.of(Tags.of("instance_type", type), nodes))));
    quota.register(quotas, true);
  }

  /** Removes all of them. */
  void clear() {
    List.of(standing, matters, nodesInWork, oldestInWork, hosts, quota)
        .forEach(each -> each.register(List.of(), true));
    meters.forEach(registry::remove);
  }
}
