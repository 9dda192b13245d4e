package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.Tags;
import io.nodepool.control.state.PoolEntry;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.repair.RepairLimits;
import io.nodepool.vocabulary.Metric;
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

  private final MeterGroup meters;
  private volatile int inFlight;

  /**
   * @param meters the metrics of the operator; samples are taken within {@link MeterGroup#show}
   */
  PlanMeters(MeterGroup meters) {
    this.meters = meters;
    Tags limit = Tags.of("limit", IN_FLIGHT);
    meters.gauge(Metric.LIMIT, limit, () -> RepairLimits.MOST_IN_FLEET);
    meters.gauge(Metric.LIMIT_USE, limit, () -> inFlight);
  }

  /** Records what was counted for pools. */
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
