package io.nodepool.world.check.cost;

import io.nodepool.control.PoolPlanning;
import io.nodepool.model.members.FaultyMembers.Group;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.Members.Trait;
import io.nodepool.model.node.Member;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolPlan;
import io.nodepool.world.check.Invariants;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Checks how many members each plan of a pool visits. What a plan decides or reports by name costs
 * a visit or two; the rest of the pool is read in counts and orders, so that a plan which chooses
 * nothing costs the logarithm of its size.
 */
public final class PlanCost {
  /**
   * What is looked up whatever the plan: the machines of the last permissions, by several rules.
   */
  private static final int FEW = 12;

  private static final int FOR_EACH_CHANGE = 3;

  /** Candidates for the next repair, and those of which it is asked whether it may begin. */
  private static final int FEW_REPAIRS = 16;

  /**
   * The members of a rack are visited once to find those that are repaired together, and those of
   * another one that leave since their machines stopped.
   */
  private static final int FOR_A_RACK = 2 * 18;

  /** The members with these are named in conditions and Events. */
  private static final Trait[] NAMED = {
    Trait.REVOCABLE,
    Trait.DELETING,
    Trait.TROUBLED,
    Trait.FROZEN,
    Trait.REFUSED,
    Trait.FAILED_DELIVERY,
    Trait.STAGING_FAILED,
    Trait.REBOOT_RETRIED,
    Trait.TURN_REVOCABLE
  };

  private PlanCost() {}

  /** Overrides with a check of each plan of a pool, before the planner is wrapped. */
  public static OperatorOverrides checking(OperatorOverrides overrides) {
    return overrides.withPlanner(planner -> overrides.planners().pools().apply(bounded(planner)));
  }

  /** A planner of which each plan is checked. */
  public static PoolPlanning bounded(PoolPlanning planner) {
    return (seen, now) -> {
      AtomicInteger visits = new AtomicInteger();
      PoolPlan plan =
          planner.plan(seen.withMembers(seen.members().onVisit(visits::incrementAndGet)), now);
      if (!ranks(seen) && !changesMetadata(seen, plan) && !hasLostStatus(seen)) {
        int most = most(seen, plan);
        Invariants.require(
            visits.get() <= most,
            "the plan of pool {} at {} visits members {} times, at most {} is allowed for its {} members",
            seen.pool().id().name(),
            now,
            visits.get(),
            most,
            seen.members().size());
      }
      return plan;
    };
  }

  private static int most(PoolSnapshot seen, PoolPlan plan) {
    Members members = seen.members();
    int changes = plan.plannedActions().size() + plan.eventDrafts().size();
    int named = Stream.of(NAMED).mapToInt(members::count).sum();
    int log = Integer.SIZE - Integer.numberOfLeadingZeros(members.size());
    boolean repairs =
        !members.byFault().in(Group.CORDONED).isEmpty()
            || !members.byFault().byRack().isEmpty()
            || seen.pool().repairs().rack().isPresent()
            || members.waiting(Member.Awaited.OUTAGE).findAny().isPresent();
    int verified =
        3 * members.count(Trait.ALERT_VERIFIED)
            + members.count(Trait.ALERT_VERIFYING)
            + seenRepairs(members);
    return FEW
        + (members.byFault().isEmpty() ? 0 : FEW_REPAIRS)
        + verified
        + cordoned(members)
        + (repairs ? FOR_A_RACK : 0)
        + 2 * log
        + FOR_EACH_CHANGE * changes
        + 2 * named;
  }

  /** Those are looked through for the next one that is verified or repaired. */
  private static int cordoned(Members members) {
    return members.byFault().in(Group.CORDONED).count();
  }

  /** What was done to machines within a day is counted anew: brakes keep that few. */
  private static int seenRepairs(Members members) {
    return (int) members.stream().filter(member -> !member.host().past().isEmpty()).count();
  }

  /** Whether Nodes have to be removed, for which all are ranked. */
  private static boolean ranks(PoolSnapshot seen) {
    int target = seen.pool().spec().target();
    return seen.pool().isTerminating() || seen.staying() > target || seen.held() > target;
  }

  /** Whether the Hosts have to show which configuration is active. */
  private static boolean hasLostStatus(PoolSnapshot seen) {
    return seen.pool().status().nodeProfile().isEmpty() && seen.held() > 0;
  }

  /** Whether the metadata of all Nodes is compared with that of a new spec. */
  private static boolean changesMetadata(PoolSnapshot seen, PoolPlan plan) {
    String before = seen.pool().status().nodeMetadata();
    return !before.isEmpty() && !before.equals(plan.status().nodeMetadata());
  }
}
