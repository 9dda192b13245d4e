package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.nodepool.control.state.PoolEntry;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.repair.RepairLimits;
import io.nodepool.vocabulary.Metric;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The metrics of what plans of pools have to do with: limits, queues, rollouts and drains that do
 * not go on. Sampled every few seconds on the decision thread, read on any thread.
 */
final class PlanMeters {
  /** The most kinds of owners of Pods that have series of their own in a pool. */
  private static final int MOST_KINDS = 20;

  private static final String IN_FLIGHT = "repairs_in_flight";

  private final InstantSource clock;
  private final MeterGroup meters;
  private final Map<Metric, List<MultiGauge.Row<?>>> rows = new LinkedHashMap<>();
  private final Map<Metric, MultiGauge> gauges = new LinkedHashMap<>();
  private volatile int inFlight;

  /**
   * @param clock the clock by which ages count
   */
  PlanMeters(MeterRegistry registry, InstantSource clock) {
    this.clock = clock;
    this.meters = new MeterGroup(registry);
    for (Metric metric :
        List.of(
            Metric.POOL_LIMIT,
            Metric.POOL_LIMIT_USE,
            Metric.POOL_QUEUE_POSITION,
            Metric.POOL_QUEUE_AGE,
            Metric.POOL_ROLLOUT_NODES,
            Metric.POOL_ROLLOUT_AGE,
            Metric.POOL_DRAINS_BLOCKED)) {
      gauges.put(metric, meters.rows(metric));
    }
    Tags limit = Tags.of("limit", IN_FLIGHT);
    meters.gauge(Metric.LIMIT, limit, () -> RepairLimits.MOST_IN_FLEET);
    meters.gauge(Metric.LIMIT_USE, limit, () -> inFlight);
  }

  /** Records what was counted for pools. */
  void sample(List<PoolEntry.Figures> pools) {
    rows.clear();
    pools.forEach(this::add);
    gauges.forEach((metric, gauge) -> gauge.register(rows.getOrDefault(metric, List.of()), true));
    inFlight = pools.stream().mapToInt(pool -> pool.inFlight().single()).sum();
  }

  private void add(PoolEntry.Figures pool) {
    Tags tags = Tags.of("pool", pool.name());
    pool.plan().limits().forEach((limit, use) -> limit(tags.and("limit", limit.word()), use));
    limit(
        tags.and("limit", IN_FLIGHT), new PoolPlan.Use(pool.inFlight().all(), pool.mostInFlight()));
    pool.plan()
        .queue()
        .ifPresent(queue -> {
          row(Metric.POOL_QUEUE_POSITION, MultiGauge.Row.of(tags, queue.position()));
          row(Metric.POOL_QUEUE_AGE, MultiGauge.Row.of(tags, () -> age(queue.since())));
        });
    pool.plan().rollout().ifPresent(rollout -> add(rollout, tags));
    bounded(pool.blocked())
        .forEach((kind, nodes) ->
            row(Metric.POOL_DRAINS_BLOCKED, MultiGauge.Row.of(tags.and("kind", kind), nodes)));
  }

  private void limit(Tags tags, PoolPlan.Use use) {
    row(Metric.POOL_LIMIT, MultiGauge.Row.of(tags, use.most()));
    row(Metric.POOL_LIMIT_USE, MultiGauge.Row.of(tags, use.count()));
  }

  private void add(PoolPlan.InRollout rollout, Tags tags) {
    Map.of(
            "up_to_date", rollout.upToDate(),
            "under_way", rollout.underWay(),
            "busy", rollout.busy(),
            "cordoned", rollout.cordoned(),
            "passed_over", rollout.passedOver())
        .forEach((state, nodes) ->
            row(Metric.POOL_ROLLOUT_NODES, MultiGauge.Row.of(tags.and("state", state), nodes)));
    rollout
        .since()
        .ifPresent(
            since -> row(Metric.POOL_ROLLOUT_AGE, MultiGauge.Row.of(tags, () -> age(since))));
  }

  private static Map<String, Integer> bounded(SortedMap<String, Integer> kinds) {
    Map<String, Integer> bounded = new LinkedHashMap<>();
    kinds.forEach((kind, nodes) ->
        bounded.merge(bounded.size() < MOST_KINDS ? kind : "other", nodes, Integer::sum));
    return bounded;
  }

  private void row(Metric metric, MultiGauge.Row<?> row) {
    rows.computeIfAbsent(metric, _ -> new ArrayList<>()).add(row);
  }

  private double age(Instant since) {
    return Math.max(0, Duration.between(since, clock.instant()).toMillis()) / 1000.0;
  }

  /** Removes all of them. */
  void clear() {
    meters.remove();
  }
}
