package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.nodepool.control.state.machine.Deliveries;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.configuration.KubernetesSkew;
import io.nodepool.vocabulary.Metric;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The metrics of each pool, as observed on the API server: registered when the pool is first
 * observed, removed when it is deleted. Updated on the decision thread, read on any thread.
 */
final class PoolMeters {
  private final MeterGroup all;
  private final Map<String, OfPool> pools = new HashMap<>();
  private volatile KubernetesSkew skew = new KubernetesSkew(Optional.empty());

  /**
   * @param all the metrics of the operator
   */
  PoolMeters(MeterGroup all) {
    this.all = all;
  }

  /** Records a pool's state. */
  void observe(Observation seen) {
    if (seen instanceof Observation.ApiServerSeen(String version)) {
      skew = new KubernetesSkew(Optional.of(version));
    } else if (seen instanceof Observation.PoolSeen(Pool pool)) {
      OfPool known = pools.get(pool.id().name());
      if (known == null || !known.pool.id().equals(pool.id())) {
        forget(Optional.ofNullable(known));
        known = new OfPool(pool);
        pools.put(pool.id().name(), known);
      }
      known.update(pool);
    } else if (seen instanceof Observation.PoolGone(PoolId gone, long _)) {
      forget(
          Optional.ofNullable(pools.get(gone.name()))
              .filter(known -> known.pool.id().equals(gone)));
    }
  }

  /** Adds this time to the node seconds of spot pools. */
  void passed(Duration elapsed) {
    pools.values().forEach(each -> each.passed(elapsed));
  }

  /** Records how long a Node of a pool took to be registered. */
  void registered(String pool, Deliveries.From from, Duration took) {
    Optional.ofNullable(pools.get(pool))
        .ifPresent(each -> each.took(Metric.DELIVERY_DURATION, Tags.of("from", from.word()), took));
  }

  /** Records that a Node of a pool was preempted. */
  void preempted(String poolUid, int podsCutOff) {
    ofUid(poolUid).ifPresent(each -> each.preempted(podsCutOff));
  }

  /**
   * Records that a machine of a pool was repaired by a boot.
   *
   * @param whole how long the whole repair took
   * @param now when the machine was back
   */
  void repaired(String poolUid, Duration whole, BootRequest boot, Instant now) {
    ofUid(poolUid)
        .ifPresent(each -> {
          Duration booting = Duration.between(boot.begunAt(), now);
          each.took(Metric.REPAIR_DURATION, Tags.of("of", "whole"), whole);
          each.took(Metric.REPAIR_DURATION, Tags.of("of", "boot"), booting);
          boot.lastRepairAt()
              .map(last -> Duration.between(last, boot.begunAt()))
              .ifPresent(between -> each.took(Metric.REPAIR_INTERVAL, Tags.empty(), between));
        });
  }

  private Optional<OfPool> ofUid(String poolUid) {
    return pools.values().stream().filter(each -> each.pool.id().uid().equals(poolUid)).findFirst();
  }

  private static int count(PoolStatus status, ReportedState state) {
    NodesInState nodes = status.counts().states().get(state);
    return nodes == null ? 0 : nodes.count();
  }

  private static RolloutState.Phase phase(PoolStatus status) {
    return status.configuration().rollout().phase();
  }

  private static boolean is(Pool pool, PoolCondition type, ConditionStatus status) {
    return pool.status()
        .condition(type)
        .filter(each -> each.reason().status() == status)
        .isPresent();
  }

  private static int outdated(ConfigurationState state) {
    return state.revisions().stream()
        .filter(each -> !each.profile().equals(state.profile()))
        .mapToInt(ConfigurationState.Revision::activeNodes)
        .sum();
  }

  private void forget(Optional<OfPool> known) {
    known.ifPresent(ofPool -> {
      pools.remove(ofPool.pool.id().name());
      ofPool.meters.remove();
    });
  }

  /** Removes the metrics of all pools. */
  void clear() {
    List.copyOf(pools.values()).forEach(known -> forget(Optional.of(known)));
  }

  /** The metrics of one pool. */
  private final class OfPool {
    private volatile Pool pool;
    private final MeterGroup meters;
    private final DoubleAdder spotNodeSeconds = new DoubleAdder();
    private final LongAdder preemptions = new LongAdder();
    private final LongAdder podsCutOff = new LongAdder();

    OfPool(Pool pool) {
      this.pool = pool;
      this.meters = all.apart(Tags.of("pool", pool.id().name()));
      meters.gauge(Metric.POOL_TARGET, Tags.empty(), () -> this.pool.spec().target());
      nodes("current", PoolStatus::currentNodes);
      nodes("in_progress", seen -> seen.counts().inProgress());
      nodes("queued", seen -> seen.counts().queued());
      nodes("outdated", seen -> outdated(seen.configuration()));
      nodes("ready", seen -> seen.currentNodes() - count(seen, ReportedState.NOT_READY));
      nodes("not_ready", seen -> count(seen, ReportedState.NOT_READY));
      nodes("not_in_service", seen -> count(seen, ReportedState.NOT_IN_SERVICE));
      nodes("alerting", seen -> count(seen, ReportedState.ALERTING));
      nodes("in_disruption", seen -> count(seen, ReportedState.IN_DISRUPTION));
      brake("paused", seen -> seen.spec().pause().isSet());
      brake("observing", seen -> !seen.spec().repair().isRepairing());
      brake("quota", seen -> is(seen, PoolCondition.QUOTA, ConditionStatus.FALSE));
      brake("configuration_disabled", seen -> seen.status().configuration().isDisabled());
      brake("rollout_paused", seen -> phase(seen.status()) == RolloutState.Phase.PAUSED);
      brake("rollout_stopped", seen -> phase(seen.status()) == RolloutState.Phase.STOPPED);
      brake("failed_reboots", seen -> seen.status().failedReboots().hold().isPresent());
      brake("repairs", seen -> is(seen, PoolCondition.REPAIRS_HELD, ConditionStatus.TRUE));
      gauge(Metric.POOL_FAILED_REBOOTS, seen -> seen.failedReboots().waiting());
      gauge(
          Metric.POOL_ALERTS_SUSPECTED,
          seen ->
              seen.repairs().suspects().stream()
                  .filter(each -> each.verdict() != SuspectedAlert.Verdict.GENUINE)
                  .count());
      rollout("running", RolloutState.Phase.RUNNING);
      rollout("stopped", RolloutState.Phase.STOPPED);
      rollout("paused", RolloutState.Phase.PAUSED);
      gauge(Metric.POOL_KUBELET_SKEW, seen -> skew.greatest(seen.configuration()));
      if (pool.spec().isSpot()) {
        meters.counter(Metric.POOL_SPOT_NODE_SECONDS, Tags.empty(), spotNodeSeconds::sum);
        meters.counter(Metric.POOL_PREEMPTIONS, Tags.empty(), preemptions::sum);
        meters.counter(Metric.POOL_PREEMPTED_PODS, Tags.empty(), podsCutOff::sum);
      }
    }

    private void rollout(String word, RolloutState.Phase phase) {
      gauge(Metric.POOL_ROLLOUT, Tags.of("phase", word), seen -> phase(seen) == phase ? 1 : 0);
    }

    private void brake(String word, Predicate<Pool> holds) {
      meters.gauge(Metric.POOL_BRAKE, Tags.of("brake", word), () -> holds.test(this.pool) ? 1 : 0);
    }

    private void nodes(String state, Function<PoolStatus, Number> value) {
      gauge(Metric.POOL_NODES, Tags.of("state", state), value);
    }

    private void gauge(Metric metric, Function<PoolStatus, Number> value) {
      gauge(metric, Tags.empty(), value);
    }

    private void gauge(Metric metric, Tags tags, Function<PoolStatus, Number> value) {
      meters.gauge(metric, tags, () -> value.apply(pool.status()));
    }

    void passed(Duration elapsed) {
      spotNodeSeconds.add(pool.status().currentNodes() * (elapsed.toMillis() / 1000.0));
    }

    void preempted(int cutOff) {
      preemptions.increment();
      podsCutOff.add(cutOff);
    }

    void took(Metric metric, Tags tags, Duration took) {
      meters.durations(metric, tags).record(took);
    }

    void update(Pool next) {
      pool = next;
      PoolSpec.Machines machines = next.spec().machines();
      Tags info =
          Tags.of(
              "instance_type", machines.instanceType(), "compute_class", machines.computeClass());
      meters.rows(Metric.POOL_INFO).register(List.of(one(info)));
      meters
          .rows(Metric.POOL_STATUS)
          .register(
              next.status().summary().stream()
                  .map(summary -> one(Tags.of("status", summary.reason().word())))
                  .toList(),
              true);
      meters
          .rows(Metric.POOL_CONDITION)
          .register(
              next.status().conditions().values().stream()
                  .map(condition -> one(labels(condition.reason())))
                  .toList());
    }

    private static Tags labels(PoolReason reason) {
      return Tags.of(
          "type", reason.condition().type(),
          "status", reason.status().word(),
          "reason", reason.word());
    }

    private static MultiGauge.Row<?> one(Tags labels) {
      return MultiGauge.Row.of(labels, 1);
    }
  }
}
