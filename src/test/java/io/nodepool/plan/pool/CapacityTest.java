package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One row for each supply of Hosts: the share of the pool, and its condition Capacity. */
class CapacityTest {
  private static Capacity.Supply check(PoolFixture fixture) {
    return Capacity.check(fixture.seen(), fixture.own(), 0);
  }

  @ParameterizedTest
  @CsvSource({
    // free, target, granted, held | share, available, reason
    "5, 4, 4, 0,  4, 4, SUFFICIENT",
    "0, 4, 4, 4,  0, 0, SUFFICIENT",
    "0, 0, 0, 0,  0, 0, SUFFICIENT",
    "3, 4, 4, 0,  3, 3, QUEUED_AWAITING_CAPACITY",
    "0, 4, 4, 1,  0, 0, QUEUED_AWAITING_CAPACITY",
    // Not granted yet: computed as if it were, and no Host is taken.
    "5, 4, 0, 0,  0, 4, SUFFICIENT",
    "3, 4, 0, 0,  0, 3, QUEUED_AWAITING_CAPACITY",
    "5, 4, 2, 1,  1, 3, SUFFICIENT",
  })
  void aPoolTakesWhatItIsGranted(
      int free, int target, int granted, int held, int share, int available, CapacityReason why) {
    PoolFixture fixture =
        new PoolFixture().free(free).target(target).asked(target, granted).booting(held);
    Capacity.Supply supply = check(fixture);

    assertThat(supply.share()).hasSize(share);
    assertThat(supply.available()).isEqualTo(available);
    assertThat(supply.finding().reason()).isEqualTo(why);
  }

  @ParameterizedTest
  @CsvSource({
    // free | ahead: granted, held | share, message
    "4, 2, 0,  2, Sufficient capacity available for the requested instance type.",
    "4, 2, 2,  2, Sufficient capacity available for the requested instance type.",
    "3, 2, 0,  1, '1 Node of type gd-8xh100ib-i128 is queued until capacity becomes available; position 2 of 2 in the queue, behind 2 Nodes of 1 other pool.'",
    "1, 2, 0,  0, '2 Nodes of type gd-8xh100ib-i128 are queued until capacity becomes available; position 2 of 2 in the queue, behind 2 Nodes of 1 other pool.'",
    "1, 2, 2,  1, '1 Node of type gd-8xh100ib-i128 is queued until capacity becomes available; position 1 of 1 in the queue.'",
  })
  void theClaimAheadIsServedFirst(int free, int granted, int held, int share, String message) {
    PoolFixture fixture =
        new PoolFixture().free(free).target(2).asked(2, 2).ahead("b", 2, granted, held);
    Capacity.Supply supply = check(fixture);

    assertThat(supply.share()).hasSize(share);
    assertThat(supply.finding().message()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource({
    "4, SUFFICIENT, false",
    "1, PARTIAL, false",
    "0, NONE_AVAILABLE, false",
  })
  void aTypeWithoutAQueueReportsWhatIsAvailable(int free, CapacityReason why, boolean queues) {
    Capacity.Supply supply = check(new PoolFixture().free(free).target(2).asked(2, 2).unqueued());

    assertThat(supply.finding().reason()).isEqualTo(why);
    assertThat(supply.queues()).isEqualTo(queues);
  }

  @ParameterizedTest
  @CsvSource({
    // what was published, for the same request, of which held | reason
    "PARTIAL, true, 2, PARTIAL",
    "PARTIAL, true, 0, NONE_AVAILABLE",
    "PARTIAL, false, 2, NONE_AVAILABLE",
    "NONE_AVAILABLE, true, 2, NONE_AVAILABLE",
    "SUFFICIENT, true, 2, NONE_AVAILABLE",
  })
  void aRequestThatWasServedInPartStaysPartial(
      CapacityReason published, boolean same, int held, CapacityReason why) {
    PoolFixture fixture = new PoolFixture().target(3).registered(held).unqueued();
    fixture.published(
        PoolStatus.NONE
            .withGrowth(Optional.of(new Growth(Fixtures.NOW.minusSeconds(60), 3, 3, 0)))
            .withConditions(
                Map.of(PoolCondition.CAPACITY, new Condition(published, "before", Fixtures.NOW))));
    Claim own = fixture.own();
    Claim asking = same ? own : own.withRank(new Claim.Rank(false, 0, Fixtures.NOW));
    Capacity.Supply supply = Capacity.check(fixture.seen(), asking, 0);

    assertThat(supply.finding().reason()).isEqualTo(why);
    assertThat(supply.finding().message())
        .startsWith(
            "No %smachine of type gd-8xh100ib-i128 is available for %s."
                .formatted(
                    why == CapacityReason.PARTIAL ? "further " : "",
                    held == 2 ? "1 Node" : "3 Nodes"));
  }

  @ParameterizedTest
  @CsvSource({
    // free (every other one in rack 1), affinity | share, reason
    "4, node.coreweave.cloud/rack=1, 2, SUFFICIENT",
    "3, node.coreweave.cloud/rack=2, 1, PARTIAL_NODE_AFFINITY",
    "4, node.coreweave.cloud/rack=7, 0, NONE_AVAILABLE_NODE_AFFINITY",
    "1, node.coreweave.cloud/rack=7, 0, QUEUED_AWAITING_CAPACITY",
  })
  void anAffinityThatCausesTheShortageIsReported(
      int free, String affinity, int share, CapacityReason why) {
    Capacity.Supply supply = check(new PoolFixture().free(free).asked(2, 2).affinity(affinity));

    assertThat(supply.share()).hasSize(share);
    assertThat(supply.finding().reason()).isEqualTo(why);
  }

  @ParameterizedTest
  @CsvSource({
    // free, of which available to spot, ahead on demand | share, message
    "5, 2, 0,  2, Sufficient capacity available for the requested instance type.",
    "5, 1, 0,  1, '1 Node of type gd-8xh100ib-i128 is queued until capacity offered as spot becomes available; position 1 of 1 in the queue.'",
    // On-demand pools leave the Hosts that are offered as spot, as far as they can.
    "5, 2, 3,  2, Sufficient capacity available for the requested instance type.",
    "5, 2, 4,  1, '1 Node of type gd-8xh100ib-i128 is queued until capacity offered as spot becomes available; position 2 of 2 in the queue, behind 4 Nodes of 1 other pool.'",
    "5, 5, 9,  0, '2 Nodes of type gd-8xh100ib-i128 are queued until capacity offered as spot becomes available; position 2 of 2 in the queue, behind 9 Nodes of 1 other pool.'",
  })
  void aSpotPoolTakesWhatIsOfferedAsSpotAndComesAfterOnDemand(
      int free, int spot, int ahead, int share, String message) {
    PoolFixture fixture =
        new PoolFixture().computeClass("spot").free(free).spotFree(spot).target(2).asked(2, 2);
    if (ahead > 0) {
      // A later request, but of an on-demand pool.
      fixture.behind("b", ahead, ahead, 0);
    }
    Capacity.Supply supply = check(fixture);

    assertThat(supply.share()).hasSize(share).allMatch(FreeHosts.FreeHost::spot);
    assertThat(supply.finding().message()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 'PARTIAL', 'Machines of type gd-8xh100ib-i128 offered as spot are available for 1 of 2 Nodes. Requests for this type are not queued.'",
    "0, 'NONE_AVAILABLE', 'No machine of type gd-8xh100ib-i128 offered as spot is available for 2 Nodes. Requests for this type are not queued.'",
  })
  void aSpotPoolOfATypeWithoutAQueueReportsWhatIsOfferedAsSpot(
      int spot, CapacityReason why, String message) {
    Capacity.Supply supply =
        check(
            new PoolFixture()
                .computeClass("spot")
                .free(4)
                .spotFree(spot)
                .target(2)
                .asked(2, 2)
                .unqueued());

    assertThat(supply.finding().reason()).isEqualTo(why);
    assertThat(supply.finding().message()).isEqualTo(message);
  }

  @Test
  void aPreemptedPoolIsQueuedAndUnderItsTarget() {
    PoolSnapshot seen = new PoolFixture().computeClass("spot").free(4).target(2).asked(2, 2).seen();
    PoolPlan plan =
        new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS)
            .plan(seen, PoolFixture.NOW);

    assertThat(plan.status().condition(PoolCondition.CAPACITY).orElseThrow().reason())
        .isEqualTo(CapacityReason.QUEUED_AWAITING_CAPACITY);
    assertThat(plan.status().condition(PoolCondition.AT_TARGET).orElseThrow().reason())
        .isEqualTo(AtTargetReason.UNDER_TARGET);
  }

  @Test
  void noHostIsTakenWhileTheCapacityIsUnknown() {
    Capacity.Supply lost = check(new PoolFixture().free(4).asked(2, 2).lost("no answer"));
    assertThat(lost.share()).isEmpty();
    assertThat(lost.finding().reason()).isEqualTo(CapacityReason.INTERNAL_ERROR);

    Capacity.Supply invalid = Capacity.notComputed();
    assertThat(invalid.share()).isEmpty();
    assertThat(invalid.finding().reason()).isEqualTo(CapacityReason.NOT_CHECKED);
  }
}
