package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.check.Invariants;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that a wake-up which is lost is found, and waits that are published. */
class LivenessTest {
  @Test
  void aDeletionThatWaitsForItsFleetNamesIt() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(1).toRest();
    drill.world.cluster().fleetOwner().loseOffer("its document does not exist");
    drill.advance(1, MINUTES).pool("a").delete().advance(10, MINUTES);
    assertThat(drill.pool("a").message(PoolCondition.NODES_REMOVED))
        .isEqualTo(
            "1 node left to remove; no removal begins while the fleet's offer cannot be read: its document does not exist.");
    assertThat(drill.pool("a").nodes()).hasSize(1);
  }

  @Test
  void aDeletionThatFailedAndWaitsForItsFleetNamesBoth() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(1).toRest();
    drill
        .world
        .apiOutages()
        .refuse(
            action -> action instanceof Action.WriteNode write && write.isFor(NodePurpose.COMMIT),
            ApiOutages.Refusal.FORBIDDEN,
            Duration.ofMinutes(30));
    drill.pool("a").delete().advance(2, MINUTES);
    drill.world.cluster().fleetOwner().loseOffer("its document does not exist");
    drill.advance(1, MINUTES);
    assertThat(drill.pool("a").message(PoolCondition.NODES_REMOVED))
        .matches(
            "1 node cannot be removed at present: draining Node g\\w+: HTTP 403: forbidden; no removal"
                + " begins while the fleet's offer cannot be read: its document does not exist");
  }

  @Test
  void aMachineThatForgetsItsTimerIsFound() {
    Drill drill =
        Drill.with(
            1,
            Faults.NONE,
            OperatorOverrides.AS_BUILT.withMachines(planner ->
                Seams.machines(
                    (seen, now) ->
                        new MachinePlan(planner.plan(seen, now).plannedActions(), Optional.empty()),
                    planner::plan)));
    drill.pool("a").target(1).toRest();
    drill.pool("a").target(0);
    assertThatThrownBy(() -> drill.advance(10, MINUTES))
        .isInstanceOf(Invariants.InvariantBroken.class)
        .hasMessageContaining("has had no next step since");
  }

  @Test
  void aSoakThatNothingEndsIsFound() {
    Drill drill =
        Drill.with(
            1,
            Faults.NONE,
            OperatorOverrides.AS_BUILT.withPlanner(
                planner -> (seen, now) -> planner.plan(seen, now).withWakeup(Optional.empty())));
    drill.pool("a").target(3).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withCanary(1, Duration.ofHours(3)));
    client.rollOut("ncore-2.11.0");
    assertThatThrownBy(drill::toRest)
        .isInstanceOf(Invariants.InvariantBroken.class)
        .hasMessageContaining("OfPool[name=a] has had no next step since")
        .hasMessageContaining("the canary of 1 soaks for 3h");
  }

  @Test
  void aMachineThatOnlySetsTimersIsFound() {
    Drill drill =
        Drill.with(
            1,
            Faults.NONE,
            OperatorOverrides.AS_BUILT.withMachines(planner ->
                Seams.machines(
                    (seen, now) -> {
                      MachinePlan plan = planner.plan(seen, now);
                      return seen.node().filter(Node::isTerminating).isEmpty()
                          ? plan
                          : new MachinePlan(List.of(), Optional.of(now.plusSeconds(60)));
                    },
                    planner::plan)));
    drill.pool("a").target(1).toRest();
    drill.pool("a").target(0);
    assertThatThrownBy(drill::toRest)
        .isInstanceOf(Invariants.InvariantBroken.class)
        .hasMessageContaining("has only had timers since");
  }
}
