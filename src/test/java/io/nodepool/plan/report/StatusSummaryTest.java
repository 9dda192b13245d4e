package io.nodepool.plan.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.pool.Summary;
import io.nodepool.model.repair.RackAlert;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What one word and one sentence say of a pool. */
class StatusSummaryTest {
  private static final Pool POOL = Fixtures.pool(new PoolId("a", "uid-a"), 4);
  private static final PoolStatus WELL =
      Stream.<PoolReason>of(
              ValidatedReason.VALID,
              CapacityReason.SUFFICIENT,
              QuotaReason.UNDER,
              AtTargetReason.TARGET_MET,
              NodeReconfigurationReason.ALL_NODES_UP_TO_DATE)
          .reduce(
              PoolStatus.NONE.withConfiguration(
                  ConfigurationState.NONE
                      .withProfile("p")
                      .withRevisions(
                          List.of(
                              new ConfigurationState.Revision(
                                  new NodeConfiguration("p", List.of()),
                                  "r",
                                  Fixtures.NOW,
                                  Fixtures.NOW,
                                  4,
                                  false,
                                  ConfigurationState.BootRecord.NONE)))),
              (status, reason) -> with(reason).apply(status),
              (one, _) -> one);

  /** A reason, and a status for which it is the first. */
  record Row(SummaryReason reason, String message, UnaryOperator<PoolStatus> change) {}

  /** A status with this reason of a condition, whose message is the reason's word. */
  private static UnaryOperator<PoolStatus> with(PoolReason reason) {
    return status -> {
      Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
      conditions.putAll(status.conditions());
      conditions.put(reason.condition(), new Condition(reason, reason.word() + ".", Fixtures.NOW));
      return status.withConditions(conditions);
    };
  }

  private static Row row(SummaryReason reason, PoolReason condition) {
    return new Row(reason, condition.word() + ".", with(condition));
  }

  private static Row rollout(
      SummaryReason reason, RolloutState.Phase phase, PoolReason condition, String message) {
    return new Row(
        reason,
        message,
        status ->
            with(condition)
                .apply(
                    status.withConfiguration(
                        status
                            .configuration()
                            .withRollout(
                                RolloutState.NONE.withPhase(phase).withReason("Why it paused.")))));
  }

  private static Row state(SummaryReason reason, ReportedState state, String message) {
    return new Row(
        reason,
        message,
        status ->
            status.withCounts(
                new PoolStatus.NodeCounts(
                    4,
                    4,
                    0,
                    0,
                    Optional.empty(),
                    Map.of(
                        state,
                        new NodesInState(
                            7, List.of("g1", "g2", "g3", "g4", "g5"), Fixtures.NOW)))));
  }

  private static Stream<Row> rows() {
    return Stream.of(
        row(SummaryReason.DELETION_FAILS, NodesRemovedReason.INTERNAL_ERROR),
        row(SummaryReason.DELETING, NodesRemovedReason.PENDING),
        row(SummaryReason.DELETING, NodesRemovedReason.COMPLETE),
        row(SummaryReason.INVALID, ValidatedReason.INVALID),
        row(SummaryReason.CONFIGURATION_MISSING, ValidatedReason.NODE_CONFIG_INTERNAL_ERROR),
        row(SummaryReason.FLEET_UNKNOWN, ValidatedReason.INTERNAL_ERROR),
        row(SummaryReason.INTERNAL_ERROR, AtTargetReason.INTERNAL_ERROR),
        new Row(
            SummaryReason.DISABLED,
            "The active configuration p is disabled: no machine boots it, and the NodePool does not grow.",
            status ->
                status.withConfiguration(
                    status
                        .configuration()
                        .withRevision(
                            "p",
                            each ->
                                each.withBoots(
                                    new ConfigurationState.BootRecord(
                                        true,
                                        Optional.empty(),
                                        List.of(),
                                        Optional.empty(),
                                        false))))),
        new Row(
            SummaryReason.REBOOTS_FAILED,
            "Three did not come back.",
            status ->
                status.withFailedReboots(
                    FailedReboots.NONE
                        .withWaiting(1)
                        .withWhy("Three did not come back.")
                        .withHeldSince(Optional.of(Fixtures.NOW)))),
        rollout(
            SummaryReason.ROLLOUT_PAUSED,
            RolloutState.Phase.PAUSED,
            NodeReconfigurationReason.STAGED_NODE_CONFIG,
            "Why it paused."),
        row(SummaryReason.REPAIRS_HELD, RepairsHeldReason.TOO_MANY_UNAVAILABLE),
        new Row(
            SummaryReason.RACK_ALERT,
            "Rack 17 has the alert NVLinkDomainFullyTriaged: a person has to act.",
            status ->
                status.withRepairs(
                    RepairState.NONE.withRacks(
                        List.of(new RackAlert("17", "NVLinkDomainFullyTriaged", Fixtures.NOW))))),
        row(SummaryReason.OVER_QUOTA, QuotaReason.OVER),
        row(SummaryReason.NO_QUOTA, QuotaReason.NOT_SET),
        row(SummaryReason.WAITS_FOR_MACHINES, CapacityReason.PARTIAL),
        row(SummaryReason.WAITS_FOR_MACHINES, CapacityReason.QUEUED_AWAITING_CAPACITY),
        row(SummaryReason.STAGING_FAILS, NodeReconfigurationReason.INTERNAL_ERROR),
        rollout(
            SummaryReason.ROLLING_OUT,
            RolloutState.Phase.RUNNING,
            NodeReconfigurationReason.STAGED_NODE_CONFIG,
            "StagedNodeConfig."),
        state(
            SummaryReason.NODES_NOT_READY,
            ReportedState.NOT_READY,
            "7 Nodes not Ready: g1, g2, g3, g4, g5 and 2 more."),
        state(
            SummaryReason.NODES_NOT_READY,
            ReportedState.NOT_IN_SERVICE,
            "7 Nodes without a running machine: g1, g2, g3, g4, g5 and 2 more."),
        state(
            SummaryReason.NODES_ALERTING,
            ReportedState.ALERTING,
            "7 Nodes with alerts: g1, g2, g3, g4, g5 and 2 more."),
        row(SummaryReason.OBSERVING, RepairsHeldReason.ONLY_OBSERVED),
        row(SummaryReason.GROWING, AtTargetReason.UNDER_TARGET),
        row(SummaryReason.SHRINKING, AtTargetReason.OVER_TARGET),
        rollout(
            SummaryReason.ROLLOUT_STOPPED,
            RolloutState.Phase.STOPPED,
            NodeReconfigurationReason.STAGED_NODE_CONFIG,
            "StagedNodeConfig."),
        row(SummaryReason.REBOOT_PENDING, NodeReconfigurationReason.STAGED_NODE_CONFIG),
        new Row(SummaryReason.READY, "TargetMet.", UnaryOperator.identity()));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theReasonThatMattersMostComesFirst(Row row) {
    assertThat(new StatusSummary(POOL, row.change().apply(WELL)).first())
        .contains(new Summary(row.reason(), row.message()));
  }

  @Test
  void everyReasonButThePauseHasARow() {
    assertThat(rows().map(Row::reason).distinct())
        .hasSize(SummaryReason.values().length - 1)
        .doesNotContain(SummaryReason.PAUSED);
  }

  @Test
  void aPauseHidesWhatOnlyWaitsAndNotWhatIsWrong() {
    Pool paused = POOL.withSpec(POOL.spec().withPause(new PoolSpec.Pause("true", "")));
    assertThat(new StatusSummary(paused, WELL).first())
        .contains(
            new Summary(
                SummaryReason.PAUSED,
                "A user holds the NodePool as it is (annotation nodepool.io/paused): no Node begins to leave or to be rolled out."));
    assertThat(new StatusSummary(paused, with(QuotaReason.OVER).apply(WELL)).first())
        .map(Summary::reason)
        .contains(SummaryReason.PAUSED);
    assertThat(new StatusSummary(paused, with(ValidatedReason.INVALID).apply(WELL)).first())
        .map(Summary::reason)
        .contains(SummaryReason.INVALID);
  }

  @Test
  void aLongSentenceIsCut() {
    PoolStatus status =
        WELL.withConditions(
            Map.of(
                PoolCondition.VALIDATED,
                new Condition(ValidatedReason.INVALID, "x".repeat(5000), Fixtures.NOW)));
    assertThat(new StatusSummary(POOL, status).first().orElseThrow().message())
        .hasSizeLessThan(1024)
        .endsWith("…");
  }

  @Test
  void whatWasNeverPlannedHasNone() {
    assertThat(new StatusSummary(POOL, PoolStatus.NONE).first()).isEmpty();
  }
}
