package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.Tags;
import io.nodepool.control.state.FreeHostTable;
import io.nodepool.control.state.HealthTable;
import io.nodepool.control.state.PoolEntry;
import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.health.DropReason;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.repair.RepairLimits;
import io.nodepool.vocabulary.Metric;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The metrics of machines: their health, their Nodes in delivery or disruption, and the Hosts that
 * no pool holds; and the figures of the pools' plans: limits, queues, rollouts and blocked drains.
 * Sampled every few seconds on the decision thread, read on any thread.
 */
final class StateMeters {
  /** The most racks that have a series of their own. */
  private static final int MOST_RACKS = 50;

  /** The most kinds of owners of Pods that have series of their own in a pool. */
  private static final int MOST_KINDS = 20;

  private static final String IN_FLIGHT = "repairs_in_flight";

  private final MeterGroup meters;
  private volatile Map<DropReason, Integer> dropped = Map.of();
  private volatile Optional<Instant> oldestAlertGroup = Optional.empty();
  private volatile int unreadableSignals;
  private volatile long unknownHosts;
  private volatile int inFlight;

  /**
   * @param meters the metrics of the operator; samples are taken within {@link MeterGroup#show}
   */
  StateMeters(MeterGroup meters) {
    this.meters = meters;
    meters.gauge(
        Metric.MATTER_AGE, Tags.empty(), () -> oldestAlertGroup.map(meters::age).orElse(0.0));
    meters.gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unreadable"), () -> unreadableSignals);
    meters.gauge(Metric.SIGNALS_UNUSABLE, Tags.of("reason", "unknown_host"), () -> unknownHosts);
    for (DropReason reason : DropReason.values()) {
      meters.counter(
          Metric.SIGNALS_DROPPED,
          Tags.of("reason", reason.word()),
          () -> dropped.getOrDefault(reason, 0));
    }
    Tags limit = Tags.of("limit", IN_FLIGHT);
    meters.gauge(Metric.LIMIT, limit, () -> RepairLimits.MOST_IN_FLEET);
    meters.gauge(Metric.LIMIT_USE, limit, () -> inFlight);
  }

  /** Records the active alerts and alert groups. */
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
        .forEach((group, count) ->
            meters.row(
                Metric.MATTERS,
                Tags.of("of", group.ofRack() ? "rack" : "host", "grade", group.grade().word()),
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
    oldestAlertGroup = health.racks().oldest();
    unreadableSignals = health.unreadable();
    unknownHosts = health.unknownHosts();
  }

  /** Records the Nodes that are delivered or disrupted. */
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

  /** Records the figures of pools. */
  void sample(List<PoolEntry.Figures> pools) {
    pools.forEach(this::add);
    inFlight = pools.stream().mapToInt(pool -> pool.inFlight().single()).sum();
  }

  private void add(PoolEntry.Figures pool) {
    Tags tags = Tags.of("pool", pool.name());
    pool.plan().limits().forEach((limit, use) -> limit(tags.and("limit", limit.word()), use));
    pool.plan()
        .repairsWaiting()
        .forEach((reason, nodes) ->
            meters.row(Metric.POOL_REPAIRS_WAITING, tags.and("reason", reason), nodes));
    limit(
        tags.and("limit", IN_FLIGHT), new PoolPlan.Use(pool.inFlight().all(), pool.mostInFlight()));
    pool.plan()
        .queue()
        .ifPresent(queue -> {
          meters.row(Metric.POOL_QUEUE_POSITION, tags, queue.position());
          meters.row(Metric.POOL_QUEUE_AGE, tags, () -> meters.age(queue.since()));
        });
    pool.plan().rollout().ifPresent(rollout -> add(rollout, tags));
    bounded(pool.blocked())
        .forEach(
            (kind, nodes) -> meters.row(Metric.POOL_DRAINS_BLOCKED, tags.and("kind", kind), nodes));
  }

  private void limit(Tags tags, PoolPlan.Use use) {
    meters.row(Metric.POOL_LIMIT, tags, use.most());
    meters.row(Metric.POOL_LIMIT_USE, tags, use.count());
  }

  private void add(PoolPlan.InRollout rollout, Tags tags) {
    Map.of(
            "up_to_date", rollout.upToDate(),
            "under_way", rollout.underWay(),
            "busy", rollout.busy(),
            "cordoned", rollout.cordoned(),
            "passed_over", rollout.passedOver())
        .forEach((state, nodes) ->
            meters.row(Metric.POOL_ROLLOUT_NODES, tags.and("state", state), nodes));
    rollout
        .since()
        .ifPresent(since -> meters.row(Metric.POOL_ROLLOUT_AGE, tags, () -> meters.age(since)));
  }

  private static Map<String, Integer> bounded(SortedMap<String, Integer> kinds) {
    Map<String, Integer> bounded = new LinkedHashMap<>();
    kinds.forEach((kind, nodes) ->
        bounded.merge(bounded.size() < MOST_KINDS ? kind : "other", nodes, Integer::sum));
    return bounded;
  }
}
