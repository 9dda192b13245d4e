package io.nodepool.world;

import io.nodepool.control.PoolPlanning;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Wake-ups that are lost. */
final class LivenessMutations {
  private LivenessMutations() {}

  static Stream<Mutation> all() {
    return Stream.of(
        Mutation.of(
            61,
            "The settle time of a cordon ends without a wake-up",
            withoutTimer(LivenessMutations::isSettling),
            "shrink"),
        Mutation.of(
            62,
            "The soak of a canary ends without a wake-up",
            OperatorOverrides.AS_BUILT.withPlanner(LivenessMutations::withoutSoak),
            "rollout with a canary"),
        Mutation.of(
            63,
            "An eviction that a budget blocks is not tried again by itself",
            withoutTimer(LivenessMutations::isBlocked),
            "drain"),
        Mutation.of(
            85,
            "The settle time of a cordon ends without a wake-up, beside a pool that changes all the time",
            withoutTimer(seen -> isSettling(seen) && isOf(seen, "a")),
            "beside churn"));
  }

  private static OperatorOverrides withoutTimer(Predicate<MachineSnapshot> where) {
    return OperatorOverrides.AS_BUILT.withMachines(planner ->
        Seams.machines(
            (seen, now) -> {
              MachinePlan plan = planner.plan(seen, now);
              return where.test(seen)
                  ? new MachinePlan(plan.plannedActions(), Optional.empty())
                  : plan;
            },
            planner::plan));
  }

  private static boolean isSettling(MachineSnapshot seen) {
    return seen.node()
        .flatMap(Node::disruption)
        .filter(Disruption.Admitted.class::isInstance)
        .isPresent();
  }

  private static boolean isOf(MachineSnapshot seen, String pool) {
    return seen.pool().filter(holder -> holder.id().name().equals(pool)).isPresent();
  }

  private static boolean isBlocked(MachineSnapshot seen) {
    return seen.node()
        .flatMap(Node::removing)
        .filter(removing -> removing.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET)
        .isPresent();
  }

  private static PoolPlanning withoutSoak(PoolPlanning planner) {
    return (seen, now) -> {
      PoolPlan plan = planner.plan(seen, now);
      RolloutState rollout = plan.status().configuration().rollout();
      return rollout.canary().isEmpty() ? plan : plan.withWakeup(Optional.empty());
    };
  }
}
