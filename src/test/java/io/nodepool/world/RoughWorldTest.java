package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.OperatorOverrides;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests all faults and actions together, at any moment, on three pools of both strategies, one of
 * them a spot pool. Once they end, the pools come to rest at their targets, report it, and nothing
 * is left over. {@code -Dworld.seeds=N} sets the number of seeds.
 */
@Tag("world")
class RoughWorldTest {
  private static final long SEEDS = Math.max(80, Long.getLong("world.seeds", 0) / 10);

  /** So many failures are reported; each is played again by its line in RecordedRunsTest. */
  private static final int MOST_REPORTED = 20;

  /** The share of the runs in which each situation occurs. */
  private static final double SHARE = 0.005;

  @Test
  void everyRunRecovers() {
    Census census = new Census();
    List<String> failures =
        LongStream.rangeClosed(1, SEEDS)
            .parallel()
            .boxed()
            .flatMap(
                seed -> Monkey.failure(seed, true, OperatorOverrides.AS_BUILT, census).stream())
            .limit(MOST_REPORTED)
            .toList();
    assertThat(failures).isEmpty();
    census.reportShare(
        "RoughWorldTest",
        EnumSet.of(
            Situation.BOUND_WHILE_ADMITTED,
            Situation.BOUND_WHILE_DRAINING,
            Situation.ANSWER_LOST_ON_STOP,
            Situation.LATE_EFFECT,
            Situation.STARTED_WHILE_ADMITTED,
            Situation.STARTED_WHILE_DRAINING,
            Situation.TAKEN_BACK,
            Situation.BUDGET_BLOCKED,
            Situation.FORCED_DRAIN,
            Situation.NOT_READY_IN_REMOVAL,
            Situation.VOLUME_ATTACHED_IN_REMOVAL,
            Situation.HANDOVER_WITH_REQUESTS,
            Situation.GATE_CLOSED,
            Situation.OUTAGE,
            Situation.DENIED,
            Situation.UNREADABLE_IN_REMOVAL,
            Situation.STARTED_WHILE_UNREADABLE,
            Situation.FINALIZER_HELD,
            Situation.ORPHANED,
            Situation.POWER_TRIP,
            Situation.HOST_FAILED,
            Situation.CLEANING_UNASKED,
            Situation.TENANCY_AHEAD,
            Situation.PREEMPTED,
            Situation.PREEMPTED_WHILE_ADMITTED,
            Situation.PREEMPTED_WHILE_DRAINING,
            Situation.PREEMPTED_WHILE_BOOTING,
            Situation.NOTICE_WITHDRAWN_WHILE_ADMITTED,
            Situation.NOTICE_WITHDRAWN_WHILE_DRAINING,
            Situation.ANSWER_LOST_ON_BOOT,
            Situation.STARTED_WHILE_REBOOTING,
            Situation.PREEMPTED_WHILE_REBOOTING,
            Situation.REBOOTED,
            Situation.REBOOT_RETRIED,
            Situation.REBOOT_GIVEN_UP,
            Situation.REBOOT_WITHDRAWN,
            Situation.POLICY_TAKEN_OFF,
            Situation.LEFT_INSTEAD_OF_REBOOT,
            Situation.CUT_OFF,
            Situation.HOST_GONE,
            Situation.NO_BOOT_ID,
            Situation.BOOT_ID_REPEATED,
            Situation.BOOT_ID_LATE,
            Situation.BOOTED_ANOTHER_CONFIGURATION,
            Situation.VERIFIED_WRONGLY,
            Situation.BOOT_BEGUN_LATE,
            Situation.FLEET_CLOCK_OFF,
            Situation.ROLLOUT_TURN,
            Situation.ROLLOUT_TURN_TAKEN_BACK,
            Situation.ROLLOUT_EVICTED,
            Situation.ROLLOUT_STOPPED,
            Situation.ROLLOUT_PAUSED,
            Situation.ROLLOUT_COMPLETED,
            Situation.ROLLOUT_SOAKED,
            Situation.ROLLED_OUT_ANEW,
            Situation.DELETED_WHILE_ROLLING_OUT,
            Situation.ROLLOUT_TURN_JOINED,
            Situation.STARTED_WHILE_ROLLING_OUT,
            Situation.CONFIGURATION_DISABLED,
            Situation.CHANGE_UNDONE,
            Situation.POOL_RECREATED,
            Situation.OVER_QUOTA,
            Situation.SHORT_OF_MACHINES,
            Situation.CANCELLED_WHILE_BOOTING,
            Situation.NODE_GONE_UNASKED,
            Situation.CLOCK_SET,
            Situation.UNCORDONED_BY_HAND,
            Situation.HOST_REPLACED,
            Situation.STATUS_LOST,
            Situation.STATUS_OLDER,
            Situation.COMMAND_LOST,
            Situation.POOL_COPIED,
            Situation.NODE_RECORD_LOST,
            Situation.SEVERAL_BUDGETS),
        SHARE);
  }
}
