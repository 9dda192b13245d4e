package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.control.DisruptionCounts;
import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.ClusterStates;
import io.nodepool.control.write.WriteCounts;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.BootRecord;
import io.nodepool.model.pool.ConfigurationState.Handled;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.pool.Summary;
import io.nodepool.plan.EndedCause;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.PreemptionCause;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.DisruptionOutcome;
import io.nodepool.vocabulary.Metric;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OperatorMetersTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static final ClusterState STATE = ClusterStates.empty(() -> NOW);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final OperatorMeters meters =
      new OperatorMeters(registry, InstantSource.fixed(Instant.EPOCH));

  /** The served metrics of pools with their values. */
  private List<String> aboutPools() {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith("nodepool_pool"))
        .sorted()
        .toList();
  }

  private void see(String uid, int target, int current, PoolReason... reasons) {
    PoolSpec spec = Fixtures.spec(target);
    PoolStatus status =
        PoolStatus.NONE
            .withObservedGeneration(1)
            .withCounts(
                new PoolStatus.NodeCounts(
                    current,
                    current,
                    2,
                    1,
                    Optional.empty(),
                    Map.of(
                        ReportedState.NOT_READY, new NodesInState(2, List.of(), NOW),
                        ReportedState.IN_DISRUPTION, new NodesInState(1, List.of(), NOW))))
            .withSummary(Optional.of(new Summary(SummaryReason.GROWING, "")))
            .withConditions(
                Stream.of(reasons)
                    .collect(
                        Collectors.toMap(
                            PoolReason::condition, reason -> new Condition(reason, "", NOW))));
    see(uid, spec, status);
  }

  private void see(String uid, ConfigurationState configuration) {
    see(uid, Fixtures.spec(8), PoolStatus.NONE.withConfiguration(configuration));
  }

  private void see(String uid, PoolSpec spec, PoolStatus status) {
    meters.observe(
        new Observation.PoolSeen(
            new Pool(new PoolId("a", uid), 1, 1, NOW, Optional.empty(), true, spec, status)));
  }

  private void gone(String uid) {
    meters.observe(new Observation.PoolGone(new PoolId("a", uid), 9));
  }

  @Test
  void refusedAlertsAreShownUntilTheyCanBeRead() {
    assertThat(registry.scrape()).contains("nodepool_alerts_refused 0.0");
    meters.observe(new Observation.CatalogueRefused("alerts.yaml line 3: …"));
    assertThat(registry.scrape()).contains("nodepool_alerts_refused 1.0");
    meters.observe(new Observation.CatalogueSeen(AlertCatalogue.shipped()));
    assertThat(registry.scrape()).contains("nodepool_alerts_refused 0.0");
  }

  @Test
  void aPoolsNumbersAndConditionsFollowItsStatus() {
    see("u-1", 8, 5, AtTargetReason.UNDER_TARGET, QuotaReason.UNDER);
    assertThat(aboutPools())
        .containsExactly(
            "nodepool_pool_alerts_suspected{pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"configuration_disabled\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"failed_reboots\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"observing\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"paused\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"quota\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"repairs\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"rollout_paused\",pool=\"a\"} 0.0",
            "nodepool_pool_brake{brake=\"rollout_stopped\",pool=\"a\"} 0.0",
            "nodepool_pool_condition{pool=\"a\",reason=\"Under\",status=\"True\",type=\"Quota\"} 1.0",
            "nodepool_pool_condition{pool=\"a\",reason=\"UnderTarget\",status=\"False\",type=\"AtTarget\"} 1.0",
            "nodepool_pool_failed_reboots{pool=\"a\"} 0.0",
            "nodepool_pool_info{compute_class=\"default\",instance_type=\"%s\",pool=\"a\"} 1"
                .formatted(Fixtures.TYPE),
            "nodepool_pool_kubelet_skew{pool=\"a\"} 0.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"alerting\"} 0.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"current\"} 5.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"in_disruption\"} 1.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"in_progress\"} 2.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"not_in_service\"} 0.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"not_ready\"} 2.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"outdated\"} 0.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"queued\"} 1.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"ready\"} 3.0",
            "nodepool_pool_rollout{phase=\"paused\",pool=\"a\"} 0.0",
            "nodepool_pool_rollout{phase=\"running\",pool=\"a\"} 0.0",
            "nodepool_pool_rollout{phase=\"stopped\",pool=\"a\"} 0.0",
            "nodepool_pool_status{pool=\"a\",status=\"Growing\"} 1.0",
            "nodepool_pool_target{pool=\"a\"} 8.0");

    see("u-1", 8, 8, AtTargetReason.TARGET_MET);
    assertThat(aboutPools())
        .contains(
            "nodepool_pool_condition{pool=\"a\",reason=\"TargetMet\",status=\"True\",type=\"AtTarget\"} 1.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"current\"} 8.0")
        .hasSize(27);
  }

  @Test
  void theConfigurationsOfAPoolAreServed() {
    meters.observe(new Observation.ApiServerSeen("v1.34.4"));
    see(
        "u-1",
        new ConfigurationState(
            "b_k_none_v1.34.1",
            Optional.empty(),
            List.of(
                revision("a_k_none_v1.32.1", 5, BootRecord.NONE),
                revision("b_k_none_v1.34.1", 3, Fixtures.boots(true, Optional.empty(), List.of()))),
            Handled.NOTHING,
            Optional.empty(),
            RolloutState.NONE.started().paused("it is disabled")));

    assertThat(aboutPools())
        .contains(
            "nodepool_pool_brake{brake=\"configuration_disabled\",pool=\"a\"} 1.0",
            "nodepool_pool_kubelet_skew{pool=\"a\"} 2.0",
            "nodepool_pool_nodes{pool=\"a\",state=\"outdated\"} 5.0",
            "nodepool_pool_rollout{phase=\"paused\",pool=\"a\"} 1.0",
            "nodepool_pool_rollout{phase=\"running\",pool=\"a\"} 0.0");
  }

  private static Revision revision(String profile, int nodes, BootRecord boots) {
    return new Revision(
        new NodeConfiguration(profile, List.of()), "r", NOW, NOW, nodes, false, boots);
  }

  @Test
  void theMetricsOfAPoolAreRemovedWithIt() {
    see("u-1", 8, 5, QuotaReason.UNDER);
    gone("u-1");

    assertThat(aboutPools()).isEmpty();
  }

  @Test
  void aPoolRecreatedUnderItsNameHasMetricsOfItsOwn() {
    see("u-1", 8, 5, QuotaReason.UNDER);
    see("u-2", 3, 0);
    gone("u-1");

    assertThat(aboutPools()).contains("nodepool_pool_target{pool=\"a\"} 3.0").hasSize(26);
  }

  @Test
  void theInstanceTypeOfAPoolFollowsItsSpec() {
    see("u-1", 8, 5);
    PoolSpec spec = Fixtures.spec(8);
    see("u-1", spec.withMachines(spec.machines().withInstanceType("other")), PoolStatus.NONE);
    assertThat(aboutPools().stream().filter(line -> line.startsWith("nodepool_pool_info")))
        .containsExactly(
            "nodepool_pool_info{compute_class=\"default\",instance_type=\"other\",pool=\"a\"} 1");
  }

  @Test
  void theCostOfSpotIsServedForSpotPoolsAlone() {
    see("u-1", 8, 5);
    meters.sample(STATE, Duration.ofSeconds(5));
    assertThat(registry.scrape()).doesNotContain("nodepool_pool_spot_node_seconds_total{");
    gone("u-1");

    PoolSpec spec = Fixtures.spec(8);
    DisruptionCounts counts = new DisruptionCounts();
    meters.disruptions(counts);
    see(
        "u-2",
        spec.withMachines(spec.machines().withComputeClass("spot")),
        PoolStatus.NONE.withCounts(
            new PoolStatus.NodeCounts(3, 3, 0, 0, Optional.empty(), Map.of())));
    meters.sample(STATE, Duration.ofSeconds(5));
    meters.sample(STATE, Duration.ofSeconds(5));
    EndedCause preempted =
        new EndedCause(
            new PreemptionCause(NOW), NOW.minusSeconds(45), DisruptionOutcome.CUT_OFF, 2);
    counts.add("u-2", preempted, Optional.empty(), NOW);
    counts.add("another", preempted, Optional.empty(), NOW);
    assertThat(registry.scrape().lines())
        .contains(
            "nodepool_pool_spot_node_seconds_total{pool=\"a\"} 30.0",
            "nodepool_pool_preemptions_total{pool=\"a\"} 1.0",
            "nodepool_pool_preemption_pods_cut_off_total{pool=\"a\"} 2.0");
  }

  @Test
  void repairsAreTimedWithAndWithoutTheDrainAndBetweenThem() {
    DisruptionCounts counts = new DisruptionCounts();
    meters.disruptions(counts);
    see("u-1", Fixtures.spec(8), PoolStatus.NONE);
    BootRequest before = repair("r-1", NOW.minus(Duration.ofHours(5)), Optional.empty());
    BootRequest first = repair("r-2", NOW.minus(Duration.ofMinutes(20)), Optional.of(before));
    BootRequest second =
        first.again("boot-2", NOW.minus(Duration.ofMinutes(4)), BootRequest.Outcome.NOT_VERIFIED);
    EndedCause end =
        new EndedCause(
            new RepairCause("GPUTimeoutError", Grade.REBOOT_WHEN_IDLE, false),
            NOW.minus(Duration.ofHours(2)),
            DisruptionOutcome.COMPLETED,
            0);
    counts.add("u-1", end, Optional.of(second), NOW);

    long between = Duration.ofHours(5).minusMinutes(20).toSeconds();
    assertThat(registry.scrape().lines())
        .contains(
            "nodepool_repair_duration_seconds_sum{of=\"whole\",pool=\"a\"} 7200.0",
            "nodepool_repair_duration_seconds_sum{of=\"boot\",pool=\"a\"} 1200.0",
            "nodepool_repair_interval_seconds_sum{pool=\"a\"} %s.0".formatted(between));
    gone("u-1");
    assertThat(registry.scrape()).doesNotContain("nodepool_repair_");
  }

  private static BootRequest repair(String operation, Instant at, Optional<BootRequest> last) {
    return BootRequest.first("boot-1", BootKind.REBOOT, operation, at, last)
        .withAlert("GPUTimeoutError");
  }

  @Test
  void theCountsOfWritesAreServed() {
    meters.sample(new WriteCounts(3, 2, 1), 4);

    assertThat(registry.scrape().lines())
        .contains(
            "nodepool_writes{state=\"under_way\"} 3.0",
            "nodepool_writes{state=\"in_doubt\"} 2.0",
            "nodepool_writes{state=\"resting\"} 1.0",
            "nodepool_objects_unreadable 4.0");
  }

  @Test
  void endedDisruptionsAreServedByCauseAndOutcomeAndPreemptionsUnderTheirOldNamesToo() {
    DisruptionCounts counts = new DisruptionCounts();
    meters.disruptions(counts);
    DisruptionCause preemption = new PreemptionCause(NOW);
    count(
        counts,
        5,
        new EndedCause(preemption, NOW.minusSeconds(45), DisruptionOutcome.COMPLETED, 0));
    count(
        counts, 3, new EndedCause(preemption, NOW.minusSeconds(45), DisruptionOutcome.CUT_OFF, 2));
    count(
        counts,
        1,
        new EndedCause(preemption, NOW.minusSeconds(45), DisruptionOutcome.WITHDRAWN, 0));
    count(
        counts,
        2,
        new EndedCause(
            new ScaleDownCause(CandidateRank.IDLE),
            NOW.minusSeconds(200),
            DisruptionOutcome.CUT_OFF,
            4));

    assertThat(registry.scrape().lines())
        .contains(
            "nodepool_disruptions_total{cause=\"Preemption\",outcome=\"completed\"} 5.0",
            "nodepool_disruptions_total{cause=\"Preemption\",outcome=\"cut_off\"} 3.0",
            "nodepool_disruptions_total{cause=\"Preemption\",outcome=\"withdrawn\"} 1.0",
            "nodepool_disruptions_total{cause=\"Preemption\",outcome=\"superseded\"} 0.0",
            "nodepool_disruptions_total{cause=\"ScaleDown\",outcome=\"cut_off\"} 2.0",
            "nodepool_disruptions_total{cause=\"RebootFailed\",outcome=\"failed\"} 0.0",
            "nodepool_disruption_duration_seconds_bucket{cause=\"Preemption\",le=\"30.0\"} 0",
            "nodepool_disruption_duration_seconds_bucket{cause=\"Preemption\",le=\"60.0\"} 8",
            "nodepool_disruption_duration_seconds_count{cause=\"Preemption\"} 8",
            "nodepool_disruption_duration_seconds_sum{cause=\"Preemption\"} 360.0",
            "nodepool_disruption_duration_seconds_sum{cause=\"ScaleDown\"} 400.0",
            "nodepool_disruption_duration_seconds_count{cause=\"Repair\"} 0",
            "nodepool_disruption_pods_cut_off_total{cause=\"ScaleDown\"} 8.0",
            "nodepool_disruption_pods_cut_off_total{cause=\"Preemption\"} 6.0");
    assertThat(registry.find(Metric.DISRUPTIONS.id()).meters())
        .hasSize(KnownCause.Catalogue.ALL.size() * DisruptionOutcome.values().length);
  }

  @Test
  void countsGoOnAfterTheGarbageCollector() {
    DisruptionCounts counts = new DisruptionCounts();
    meters.disruptions(counts);
    String served = "nodepool_disruptions_total{cause=\"Preemption\",outcome=\"completed\"} ";
    EndedCause end = new EndedCause(new PreemptionCause(NOW), NOW, DisruptionOutcome.COMPLETED, 0);
    count(counts, 1, end);
    assertThat(registry.scrape()).contains(served + "1.0");
    WeakReference<Object> garbage = new WeakReference<>(new Object());
    while (garbage.get() != null) {
      System.gc();
    }
    count(counts, 1, end);
    assertThat(registry.scrape()).contains(served + "2.0");
  }

  private static void count(DisruptionCounts counts, int times, EndedCause end) {
    for (int i = 0; i < times; i++) {
      counts.add("u-1", end, Optional.empty(), NOW);
    }
  }

  @Test
  void runsOfALoopAndWaitsForTheDecisionThreadAreTimed() {
    assertThat(meters.timed("pool", name -> name + "!").apply("a")).isEqualTo("a!");
    meters.waited(Duration.ofMillis(250).toNanos());

    assertThat(registry.scrape().lines())
        .contains(
            "nodepool_loop_seconds_count{loop=\"pool\"} 1",
            "nodepool_decision_lag_seconds_sum 0.25");
  }

  @Test
  void anOperatorThatHasEndedLeavesNoMetrics() {
    see("u-1", 8, 5, QuotaReason.UNDER);
    meters.gauge(Metric.REQUESTS_PENDING, () -> 1);
    meters.disruptions(new DisruptionCounts());
    meters.close();

    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void metricsAreServedUnderTheNamesOfTheReference() {
    see("u-1", 8, 5, QuotaReason.UNDER);
    meters.timed("pool", name -> name);
    meters.gauge(Metric.REQUESTS_PENDING, () -> 1);
    meters.gauge(Metric.DECISIONS_WAITING, () -> 1);
    meters.disruptions(new DisruptionCounts());
    Map<String, List<String>> documented =
        Stream.of(Metric.values()).collect(Collectors.toMap(Metric::id, Metric::names));

    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .isSubsetOf(documented.keySet());
    assertThat(
            registry
                .scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceFirst("[{ ].*", "")))
        .isSubsetOf(documented.values().stream().flatMap(List::stream).toList());
  }
}
