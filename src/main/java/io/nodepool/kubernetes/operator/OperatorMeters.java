package io.nodepool.kubernetes.operator;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.nodepool.control.DisruptionCounts;
import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.machine.Deliveries;
import io.nodepool.control.write.WriteCounts;
import io.nodepool.fleet.BootRequest;
import io.nodepool.model.Observation;
import io.nodepool.model.node.CauseRule;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.DisruptionOutcome;
import io.nodepool.vocabulary.Metric;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** The metrics of a leading operator; they are removed when it ends. */
final class OperatorMeters implements AutoCloseable {
  private final PoolMeters pools;
  private final MeterGroup meters;
  private final Timer lag;
  private final LongAdder lostEvents = new LongAdder();
  private volatile WriteCounts writes = WriteCounts.NONE;
  private final StateMeters state;
  private volatile int unreadable;
  private volatile int alertsRefused;

  /**
   * @param clock the clock by which ages count
   */
  OperatorMeters(MeterRegistry registry, InstantSource clock) {
    this.meters = new MeterGroup(registry, clock);
    this.state = new StateMeters(meters);
    this.pools = new PoolMeters(meters);
    this.lag = meters.timer(Metric.DECISION_LAG, Tags.empty());
    meters.counter(Metric.EVENTS_LOST, Tags.empty(), lostEvents::sum);
    gauge(Metric.UNREADABLE, () -> unreadable);
    gauge(Metric.ALERTS_REFUSED, () -> alertsRefused);
    writes("under_way", WriteCounts::underWay);
    writes("in_doubt", WriteCounts::inDoubt);
    writes("resting", WriteCounts::resting);
  }

  /** Serves the counts of ended disruptions, of every cause from the start. */
  void disruptions(DisruptionCounts counts) {
    Map<String, Timer> durations =
        KnownCause.Catalogue.ALL.stream()
            .map(CauseKind::word)
            .collect(
                Collectors.toMap(
                    word -> word,
                    word -> meters.durations(Metric.DISRUPTION_DURATION, Tags.of("cause", word))));
    counts.onCarriedOut((pool, end, took, boot) -> {
      Optional.ofNullable(durations.get(end.cause().word())).ifPresent(t -> t.record(took));
      if (end.cause().rule().countsAs() == CauseRule.CountsAs.PREEMPTION) {
        pools.preempted(pool, end.podsCutOff());
      }
      boot.filter(_ -> end.cause().isRepair() && !end.cause().leaves())
          .filter(BootRequest::isRepair)
          .ifPresent(each -> pools.repaired(pool, took, each, end.since().plus(took)));
    });
    for (CauseKind kind : KnownCause.Catalogue.ALL) {
      String cause = kind.word();
      for (DisruptionOutcome outcome : DisruptionOutcome.values()) {
        meters.counter(
            Metric.DISRUPTIONS,
            Tags.of("cause", cause, "outcome", outcome.word()),
            () -> counts.ended(cause, outcome));
      }
      meters.counter(Metric.PODS_CUT_OFF, Tags.of("cause", cause), () -> counts.podsCutOff(cause));
    }
  }

  private void writes(String state, ToIntFunction<WriteCounts> count) {
    meters.gauge(Metric.WRITES, Tags.of("state", state), () -> count.applyAsInt(writes));
  }

  /** Registers a gauge whose value is read at each scrape, on the thread of the scrape. */
  void gauge(Metric metric, Supplier<Number> value) {
    meters.gauge(metric, Tags.empty(), value);
  }

  /** Returns the loop with its runs timed. */
  <T> Function<String, T> timed(String loop, Function<String, T> runs) {
    Timer timer = meters.timer(Metric.LOOP, Tags.of("loop", loop));
    return name -> timer.record(() -> runs.apply(name));
  }

  /** Records how long a task waited for the decision thread, in nanoseconds. */
  void waited(long nanos) {
    lag.record(nanos, TimeUnit.NANOSECONDS);
  }

  /** Records the counts of writes and of objects that cannot be read. */
  void sample(WriteCounts counts, int unreadableObjects) {
    writes = counts;
    unreadable = unreadableObjects;
  }

  /**
   * Records the state of the cluster; called on the decision thread.
   *
   * @param elapsed the time since the last call
   */
  void sample(ClusterState known, Duration elapsed) {
    meters.show(() -> {
      state.sample(known.health());
      state.sample(known.inWork());
      state.sample(known.free().counts(), known.offer());
      state.sample(known.snapshots().figures());
    });
    pools.passed(elapsed);
  }

  /** Serves the durations of deliveries, from now on. */
  void deliveries(Deliveries deliveries) {
    deliveries.onRegistered(pools::registered);
  }

  /** Counts a lost Event; called on any thread. */
  void lost(EventDraft eventDraft) {
    lostEvents.increment();
  }

  /** Records an observation; called on the decision thread. */
  void observe(Observation seen) {
    pools.observe(seen);
    switch (seen) {
      case Observation.CatalogueSeen _ -> alertsRefused = 0;
      case Observation.CatalogueRefused _ -> alertsRefused = 1;
      default -> {}
    }
  }

  @Override
  public void close() {
    pools.clear();
    meters.remove();
  }
}
