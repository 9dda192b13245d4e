package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.nodepool.control.state.machine.Deliveries;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.configuration.KubernetesSkew;
import io.nodepool.vocabulary.Metric;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * The metrics of each pool, as observed on the API server: registered when the pool is first
 * observed, removed when it is deleted. Updated on the decision thread, read on any thread.
 */
final class PoolMeters {
  private final MeterRegistry registry;
  private final Map<String, OfPool> pools = new HashMap<>();
  private volatile KubernetesSkew skew = new KubernetesSkew(Optional.empty());

  PoolMeters(MeterRegistry registry) {
    this.registry = registry;
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

  /** Records that so much time passed, in which spot pools had their Nodes. */
  void passed(Duration elapsed) {
    pools.values().forEach(each -> each.passed(elapsed));
  }

  /** Records how long a Node of a pool took to be registered. */
  void registered(String pool, Deliveries.From from, Duration took, Duration... bounds) {
    Optional.ofNullable(pools.get(pool))
        .ifPresent(each ->
            each.took(Metric.DELIVERY_DURATION, Tags.of("from", from.word()), took, bounds));
  }

  /** Records that a Node of a pool was preempted. */
  void preempted(String poolUid, int podsCutOff) {
    ofUid(poolUid).ifPresent(each -> each.preempted(podsCutOff));
  }

  /**
   * Records that a machine of a pool was repaired by a boot.
   *
   * @param whole how long that took
   * @param now when it was back
   */
  void repaired(String poolUid, Duration whole, BootRequest boot, Instant now, Duration... bounds) {
    ofUid(poolUid)
        .ifPresent(each -> {
          Duration booting = Duration.between(boot.begunAt(), now);
          each.took(Metric.REPAIR_DURATION, Tags.of("of", "whole"), whole, bounds);
          each.took(Metric.REPAIR_DURATION, Tags.of("of", "boot"), booting, bounds);
          boot.lastRepairAt()
              .map(last -> Duration.between(last, boot.begunAt()))
              .ifPresent(
                  between -> each.took(Metric.REPAIR_INTERVAL, Tags.empty(), between, bounds));
        });
  }

  private Optional<OfPool> ofUid(String poolUid) {
    return pools.values().stream().filter(each -> each.pool.id().uid().equals(poolUid)).findFirst();
  }

  private static int outdated(Pool pool) {
    ConfigurationState state = pool.status().configuration();
    return state.revisions().stream()
        .filter(each -> !each.profile().equals(state.profile()))
        .mapToInt(ConfigurationState.Revision::activeNodes)
        .sum();
  }

  private void forget(Optional<OfPool> known) {
    known.ifPresent(ofPool -> {
      pools.remove(ofPool.pool.id().name());
      ofPool.remove();
    });
  }

  /** Removes the metrics of all pools. */
  void clear() {
    List.copyOf(pools.values()).forEach(known -> forget(Optional.of(known)));
  }

  /** The metrics of one pool. */
  private final class OfPool {
    private volatile Pool pool;
    private final List<Meter> counts;
    private final EnumMap<PoolCondition, Meter> conditions = new EnumMap<>(PoolCondition.class);
    private final MeterGroup timed = new MeterGroup(registry);
    private final Map<String, Timer> timers = new HashMap<>();
    private final List<Meter> ofSpot = new ArrayList<>();
    private volatile Meter info;
    private final DoubleAdder spotNodeSeconds = new DoubleAdder();
    private final LongAdder preemptions = new LongAdder();
    private final LongAdder podsCutOff = new LongAdder();

    OfPool(Pool pool) {
      this.pool = pool;
      this.counts =
          List.of(
              gauge(Metric.POOL_TARGET, Tags.empty(), seen -> seen.spec().target()),
              nodes("current", seen -> seen.status().currentNodes()),
              nodes("in_progress", seen -> seen.status().counts().inProgress()),
              nodes("queued", seen -> seen.status().counts().queued()),
              nodes("outdated", PoolMeters::outdated),
              gauge(
                  Metric.POOL_CONFIGURATION_DISABLED,
                  Tags.empty(),
                  seen -> seen.status().configuration().isDisabled() ? 1 : 0),
              gauge(
                  Metric.POOL_FAILED_REBOOTS,
                  Tags.empty(),
                  seen -> seen.status().removal().failedReboots().waiting()),
              gauge(
                  Metric.POOL_FAILED_REBOOTS_HELD,
                  Tags.empty(),
                  seen -> seen.status().removal().failedReboots().hold().isPresent() ? 1 : 0),
              gauge(
                  Metric.POOL_REPAIRS_WAITING,
                  Tags.empty(),
                  seen -> seen.status().removal().repairs().waiting()),
              gauge(
                  Metric.POOL_ALERTS_SUSPECTED,
                  Tags.empty(),
                  seen ->
                      (int)
                          seen.status().removal().repairs().suspects().stream()
                              .filter(each -> each.verdict() != SuspectedAlert.Verdict.GENUINE)
                              .count()),
              rollout("running", RolloutState.Phase.RUNNING),
              rollout("stopped", RolloutState.Phase.STOPPED),
              rollout("paused", RolloutState.Phase.PAUSED),
              gauge(
                  Metric.POOL_KUBELET_SKEW,
                  Tags.empty(),
                  seen -> skew.greatest(seen.status().configuration())));
      this.info = info(pool);
      if (pool.spec().isSpot()) {
        ofSpot.add(counter(Metric.POOL_SPOT_NODE_SECONDS, each -> each.spotNodeSeconds.sum()));
        ofSpot.add(counter(Metric.POOL_PREEMPTIONS, each -> each.preemptions.sum()));
        ofSpot.add(counter(Metric.POOL_PREEMPTED_PODS, each -> each.podsCutOff.sum()));
      }
    }

    private Meter info(Pool next) {
      PoolSpec.Machines machines = next.spec().machines();
      return gauge(
          Metric.POOL_INFO,
          Tags.of(
              "instance_type", machines.instanceType(), "compute_class", machines.computeClass()),
          _ -> 1);
    }

    private Meter counter(Metric metric, ToDoubleFunction<OfPool> value) {
      return FunctionCounter.builder(metric.id(), this, value)
          .description(metric.meaning())
          .tags("pool", pool.id().name())
          .register(registry);
    }

    void passed(Duration elapsed) {
      spotNodeSeconds.add(pool.status().currentNodes() * (elapsed.toMillis() / 1000.0));
    }

    void preempted(int cutOff) {
      preemptions.increment();
      podsCutOff.add(cutOff);
    }

    void took(Metric metric, Tags tags, Duration took, Duration... bounds) {
      timers
          .computeIfAbsent(
              metric.id() + tags,
              _ -> timed.timer(metric, tags.and("pool", pool.id().name()), bounds))
          .record(took);
    }

    private Meter rollout(String word, RolloutState.Phase phase) {
      return gauge(
          Metric.POOL_ROLLOUT,
          Tags.of("phase", word),
          seen -> seen.status().configuration().rollout().phase() == phase ? 1 : 0);
    }

    private Meter nodes(String state, ToIntFunction<Pool> value) {
      return gauge(Metric.POOL_NODES, Tags.of("state", state), value);
    }

    private Meter gauge(Metric metric, Tags tags, ToIntFunction<Pool> value) {
      return Gauge.builder(metric.id(), () -> value.applyAsInt(pool))
          .description(metric.meaning())
          .tags(tags.and("pool", pool.id().name()))
          .register(registry);
    }

    void update(Pool next) {
      Pool before = pool;
      pool = next;
      if (!before.spec().machines().equals(next.spec().machines())) {
        registry.remove(info);
        info = info(next);
      }
      for (PoolCondition type : PoolCondition.values()) {
        Optional<Condition> condition = next.status().condition(type);
        boolean same =
            before
                .status()
                .condition(type)
                .map(Condition::reason)
                .equals(condition.map(Condition::reason));
        if (!same || conditions.containsKey(type) != condition.isPresent()) {
          Optional.ofNullable(conditions.remove(type)).ifPresent(registry::remove);
          condition.ifPresent(stands -> conditions.put(type, gauge(type, stands)));
        }
      }
    }

    private Meter gauge(PoolCondition type, Condition condition) {
      Tags tags =
          Tags.of(
              "type", type.type(),
              "status", condition.reason().status().word(),
              "reason", condition.reason().word());
      return gauge(Metric.POOL_CONDITION, tags, seen -> 1);
    }

    void remove() {
      counts.forEach(registry::remove);
      registry.remove(info);
      timed.remove();
      ofSpot.forEach(registry::remove);
      conditions.values().forEach(registry::remove);
    }
  }
}
