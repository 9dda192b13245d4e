package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans of an invalid pool: its actions, its conditions, and what it keeps. */
class PoolPlannerTest {
  private static final PoolPlanner PLANNER =
      new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS);

  private static PoolPlan plan(PoolFixture fixture) {
    return PLANNER.plan(fixture.seen(), PoolFixture.NOW);
  }

  /** A pool with a granted target of 4, 2 Nodes, and 9 free Hosts. */
  private static PoolFixture growing() {
    return new PoolFixture().target(4).quota(10).free(9).asked(4, 4).registered(2);
  }

  private static Stream<UnaryOperator<PoolFixture>> mistakes() {
    return Stream.of(
        s -> s.label("bad key", "x"),
        s -> s.taint("a b", "c d", "NoSchedule"),
        s -> s.taint("node.kubernetes.io/disk-pressure", "", "NoSchedule"),
        s -> s.annotation("long", "x".repeat(200_000)),
        s -> s.gpuVersion("580.65"),
        s -> s.autoscaled(9, 1));
  }

  @Test
  void aValidPoolTakesWhatItIsGranted() {
    assertThat(assigned(plan(growing()))).hasSize(2);
  }

  @Test
  void aPoolOfAFleetWithoutConfigurationsGrowsAsOneWithThem() {
    assertThat(assigned(plan(growing().offering(List.of())))).hasSize(2);
  }

  private static List<Action> assigned(PoolPlan plan) {
    return plan.plannedActions().stream()
        .map(PlannedAction::action)
        .filter(action ->
            action instanceof Action.OnHost on && on.operation() instanceof HostOperation.Assign)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void anInvalidPoolTakesNoMachineAndKeepsWhatItWasGranted(UnaryOperator<PoolFixture> mistake) {
    PoolPlan plan = plan(mistake.apply(growing()));

    assertThat(plan.plannedActions()).isEmpty();
    assertThat(plan.status().growth()).map(Growth::granted).contains(4);
    assertThat(reason(plan, PoolCondition.VALIDATED)).isEqualTo("Invalid");
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void anInvalidPoolReportsThatQuotaAndCapacityWereNotChecked(UnaryOperator<PoolFixture> mistake) {
    PoolPlan plan = plan(mistake.apply(growing()));

    for (PoolCondition type : List.of(PoolCondition.CAPACITY, PoolCondition.QUOTA)) {
      assertThat(reason(plan, type)).isEqualTo("NotChecked");
      assertThat(plan.status().condition(type).orElseThrow().message())
          .endsWith("is checked once the spec of the NodePool is valid.");
    }
    assertThat(emitted(plan))
        .doesNotContain(
            EventReason.NODE_POOL_QUOTA_CHECK_FAILED, EventReason.INSUFFICIENT_CAPACITY);
  }

  private static String reason(PoolPlan plan, PoolCondition type) {
    return plan.status().condition(type).orElseThrow().reason().word();
  }

  private static List<EventReason> emitted(PoolPlan plan) {
    return plan.eventDrafts().stream().map(EventDraft::reason).toList();
  }

  @Test
  void aFailedQuotaCheckIsReportedAfterAnInvalidSpec() {
    PoolStatus invalid = plan(growing().label("bad key", "x")).status();
    PoolPlan lost = plan(growing().published(invalid).lost("no answer"));
    assertThat(emitted(lost)).contains(EventReason.NODE_POOL_QUOTA_CHECK_FAILED);

    PoolPlan again = plan(growing().published(lost.status()).lost("no answer"));
    assertThat(emitted(again)).doesNotContain(EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
  }

  @Test
  void aShortageIsReportedOnceTheSpecIsValid() {
    PoolStatus invalid = plan(growing().label("bad key", "x")).status();
    PoolPlan right = plan(growing().free(0).published(invalid));

    assertThat(reason(right, PoolCondition.CAPACITY)).isEqualTo("QueuedAwaitingCapacity");
    assertThat(emitted(right)).contains(EventReason.INSUFFICIENT_CAPACITY);
  }

  @Test
  void theTargetIsPublishedInNodesWhetherOrNotTheSpecIsValid() {
    assertThat(plan(growing()).status().counts().target()).isEqualTo(4);
    assertThat(plan(growing().quota(0)).status().counts().target()).isEqualTo(4);
    assertThat(plan(growing().label("bad key", "x")).status().counts().target()).isEqualTo(4);
    assertThat(plan(new PoolFixture().type(PoolFixture.RACK).racks(2)).status().counts().target())
        .isEqualTo(36);
  }

  @Test
  void metadataThatNodesCannotHaveIsNotPublished() {
    PoolStatus good = plan(growing().label("team", "a")).status();
    PoolStatus bad =
        plan(growing().label("team", "b").label("bad key", "").published(good)).status();
    PoolStatus right = plan(growing().label("team", "b").published(bad)).status();

    assertThat(good.nodeMetadata()).isNotEmpty();
    assertThat(bad.nodeMetadata()).isEqualTo(good.nodeMetadata());
    assertThat(right.nodeMetadata()).isNotEqualTo(good.nodeMetadata());
  }

  @Test
  void aPoolThatIsInvalidForAnotherCauseStillFollowsItsMetadata() {
    PoolStatus before = plan(growing().label("team", "a")).status();
    PoolStatus after =
        plan(growing().label("team", "b").gpuVersion("1.2").published(before)).status();

    assertThat(after.nodeMetadata()).isNotEqualTo(before.nodeMetadata());
  }
}
