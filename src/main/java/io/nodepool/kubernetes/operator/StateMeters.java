package io.nodepool.kubernetes.operator;

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

/**
 * The metrics of what the operator knows of machines: their health, what is happening to their
 * Nodes, and the Hosts that no pool holds. Sampled every few seconds on the decision thread, read
 * on any thread.
 */
final class StateMeters {
  /** The most racks that have a series of their own. */
  private static final int MOST_RACKS = 50;

  private final InstantSource clock;
  private final MeterGroup meters;
  private final MultiGauge standing;
  private final MultiGauge matters;
  private final MultiGauge racks;
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
    this.clock = clock;
    this.meters = new MeterGroup(registry);
    this.standing = meters.rows(Metric.ALERTS_STANDING);
    this.matters = meters.rows(Metric.MATTERS);
    this.racks = meters.rows(Metric.RACK_MATTERS);
    this.nodesInWork = meters.rows(Metric.POOL_NODES_IN_WORK);
    this.oldestInWork = meters.rows(Metric.POOL_NODES_IN_WORK_AGE);
    this.hosts = meters.rows(Metric.HOSTS);
    this.quota = meters.rows(Metric.QUOTA);
    meters.gauge(Metric.MATTER_AGE, Tags.empty(), () -> oldestMatter.map(this::age).orElse(0.0));
    meters.gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unreadable"), () -> unreadableSignals);
    meters.gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unknown_host"), () -> unknownHosts);
    for (DropReason reason : DropReason.values()) {
      meters.counter(
          Metric.SIGNALS_DROPPED,
          Tags.of("reason", reason.word()),
          () -> dropped.getOrDefault(reason, 0));
    }
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
    List<MultiGauge.Row<?>> places = new ArrayList<>();
    health
        .racks()
        .most(MOST_RACKS)
        .forEach(each ->
            places.add(
                MultiGauge.Row.of(
                    Tags.of("zone", each.getKey().zone(), "rack", each.getKey().rack()),
                    each.getValue())));
    racks.register(places, true);
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
    meters.remove();
  }
}
