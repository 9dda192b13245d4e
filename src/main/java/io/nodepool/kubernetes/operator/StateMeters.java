package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.Tags;
import io.nodepool.control.state.FreeHostTable;
import io.nodepool.control.state.HealthTable;
import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.health.DropReason;
import io.nodepool.vocabulary.Metric;
import java.time.Instant;
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

  private final MeterGroup meters;
  private volatile Map<DropReason, Integer> dropped = Map.of();
  private volatile Optional<Instant> oldestMatter = Optional.empty();
  private volatile int unreadableSignals;
  private volatile long unknownHosts;

  /**
   * @param meters the metrics of the operator; samples are taken within {@link MeterGroup#show}
   */
  StateMeters(MeterGroup meters) {
    this.meters = meters;
    meters.gauge(Metric.MATTER_AGE, Tags.empty(), () -> oldestMatter.map(meters::age).orElse(0.0));
    meters.gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unreadable"), () -> unreadableSignals);
    meters.gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unknown_host"), () -> unknownHosts);
    for (DropReason reason : DropReason.values()) {
      meters.counter(
          Metric.SIGNALS_DROPPED,
          Tags.of("reason", reason.word()),
          () -> dropped.getOrDefault(reason, 0));
    }
  }

  /** Records what stands about the health of machines. */
  void sample(HealthTable health) {
    health
        .counts()
        .forEach((alert, count) ->
            meters.row(
                Metric.ALERTS_STANDING,
                Tags.of("alert", alert.name(), "grade", alert.grade().word()),
                count));
    health
        .racks()
        .counts()
        .forEach((matter, count) ->
            meters.row(
                Metric.MATTERS,
                Tags.of("of", matter.ofRack() ? "rack" : "host", "grade", matter.grade().word()),
                count));
    health
        .racks()
        .most(MOST_RACKS)
        .forEach(each ->
            meters.row(
                Metric.RACK_MATTERS,
                Tags.of("zone", each.getKey().zone(), "rack", each.getKey().rack()),
                each.getValue()));
    dropped = health.dropped();
    oldestMatter = health.racks().oldest();
    unreadableSignals = health.unreadable();
    unknownHosts = health.unknownHosts();
  }

  /** Records what is happening to the Nodes of pools. */
  void sample(NodesInWork work) {
    work.counts()
        .forEach((kind, count) -> {
          Tags tags =
              Tags.of(
                  "pool", kind.pool().name(), "cause", kind.cause(), "stage", kind.stage().word());
          meters.row(Metric.POOL_NODES_IN_WORK, tags, count.nodes());
          meters.row(Metric.POOL_NODES_IN_WORK_AGE, tags, () -> meters.age(count.oldest()));
        });
  }

  /** Records the Hosts that no pool holds, by instance type, and the fleet's quota. */
  void sample(
      SortedMap<String, SortedMap<FreeHostTable.Availability, Integer>> free,
      Optional<FleetOffer> offer) {
    free.forEach((type, states) ->
        states.forEach((state, count) ->
            meters.row(
                Metric.HOSTS, Tags.of("instance_type", type, "state", state.word()), count)));
    offer
        .map(FleetOffer::quota)
        .ifPresent(all ->
            all.forEach(
                (type, nodes) -> meters.row(Metric.QUOTA, Tags.of("instance_type", type), nodes)));
  }
}
