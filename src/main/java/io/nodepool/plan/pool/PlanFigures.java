package io.nodepool.plan.pool;

import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolPlan.Figures;
import io.nodepool.plan.PoolPlan.InRollout;
import io.nodepool.plan.PoolPlan.Limited;
import io.nodepool.plan.PoolPlan.Queue;
import io.nodepool.plan.PoolPlan.Use;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.repair.RepairLimits;
import io.nodepool.plan.repair.Repairs;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The figures of a pool's plan for metrics. Reads counts, and visits no member. */
record PlanFigures(PoolSnapshot seen, int rackSize, Instant now) {
  /**
   * The figures of a plan.
   *
   * @param queues whether the pool waits for machines
   * @param repairs which Nodes wait to be repaired, and why
   */
  Figures of(Claim own, boolean queues, ConfigurationState next, Repairs.Outlook repairs) {
    Map<Limited, Use> limits = new EnumMap<>(Limited.class);
    limits.put(
        Limited.ROLLOUT_UNAVAILABLE,
        use(
            UnavailableNodes.of(
                seen, seen.pool().spec().configuration().rollout().maxUnavailable(), rackSize)));
    limits.put(Limited.REPAIRS_UNAVAILABLE, use(RepairLimits.level(seen, rackSize)));
    return new Figures(
        limits,
        seen.growth().filter(_ -> queues).map(asked -> new Queue(position(own), asked.askedAt())),
        Optional.of(next)
            .filter(state -> state.rollout().phase() != RolloutState.Phase.NONE)
            .map(this::rollout),
        repairs.byReason(),
        repairs.byNode(),
        Optional.of(own));
  }

  private static Use use(UnavailableNodes level) {
    return new Use(level.count(), level.most());
  }

  private int position(Claim own) {
    return 1 + (int) seen.others().stream().filter(other -> other.isAheadOf(own)).count();
  }

  private InRollout rollout(ConfigurationState next) {
    BootedMembers booted = seen.members().byConfiguration();
    String profile = next.profile();
    RolloutState state = next.rollout();
    return new InRollout(
        state.since(),
        booted.count(profile),
        seen.members().count(Members.Trait.ROLLING_OUT),
        booted.busyOutdated(profile),
        booted.cordonedOutdated(profile),
        booted.passedOverOutdated(profile, now));
  }
}
