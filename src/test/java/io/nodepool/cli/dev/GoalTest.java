package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.cli.view.PoolView;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.StatusCondition;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GoalTest {
  private static final long GENERATION = 2;

  @Test
  void aPoolIsAtItsTargetWhenItsStatusReportsThatForTheCurrentSpec() {
    assertThat(progress(pool("a", GENERATION, "AtTarget", "True")))
        .isInstanceOf(Goal.GoalProgress.Reached.class);
    assertThat(progress(pool("a", GENERATION - 1, "AtTarget", "True")))
        .isInstanceOf(Goal.GoalProgress.Waiting.class);
    assertThat(progress(pool("a", GENERATION, "AtTarget", "False")))
        .isInstanceOf(Goal.GoalProgress.Waiting.class);
  }

  @Test
  void allPoolsMustExist() {
    assertThat(
            new Goal(Set.of("a", "b"))
                .progress(List.of(PoolView.of(pool("a", GENERATION, "AtTarget", "True")))))
        .isInstanceOf(Goal.GoalProgress.Waiting.class);
  }

  @Test
  void otherPoolsDoNotCount() {
    assertThat(
            new Goal(Set.of("a"))
                .progress(
                    List.of(
                        PoolView.of(pool("a", GENERATION, "AtTarget", "True")),
                        PoolView.of(pool("b", GENERATION, "Quota", "False")))))
        .isInstanceOf(Goal.GoalProgress.Reached.class);
  }

  @Test
  void aPoolThatIsInvalidOrOverQuotaCannotReachItsTarget() {
    for (String type : List.of("Validated", "Quota")) {
      assertThat(progress(pool("a", GENERATION, type, "False")))
          .isInstanceOfSatisfying(
              Goal.GoalProgress.Unreachable.class,
              stuck ->
                  assertThat(stuck.inWords())
                      .isEqualTo(
                          "NodePool a cannot reach its target: %s is False (Why): because."
                              .formatted(type)));
    }
  }

  @Test
  void aPoolThatWaitsForCapacityOrForTheFleetMayReachItsTarget() {
    assertThat(progress(pool("a", GENERATION, "Capacity", "False")))
        .isInstanceOf(Goal.GoalProgress.Waiting.class);
    assertThat(progress(pool("a", GENERATION, "Quota", "Unknown")))
        .isInstanceOf(Goal.GoalProgress.Waiting.class);
    assertThat(progress(pool("a", GENERATION - 1, "Quota", "False")))
        .isInstanceOf(Goal.GoalProgress.Waiting.class);
  }

  @Test
  void aReachedGoalIsOneLine() {
    PoolView one = PoolView.of(pool("a", GENERATION, "AtTarget", "True"));

    assertThat(PoolView.reached(List.of(one), "3 s"))
        .isEqualTo("NodePool a is at its target of 36 Nodes after 3 s.");
    assertThat(PoolView.reached(List.of(one, one), "3 s"))
        .isEqualTo("All 2 NodePools are at their targets, 72 Nodes in all, after 3 s.");
  }

  private static Goal.GoalProgress progress(NodePool pool) {
    return new Goal(Set.of("a")).progress(List.of(PoolView.of(pool)));
  }

  private static NodePool pool(String name, long observed, String type, String status) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).withGeneration(GENERATION).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.targetRacks = 2;
    pool.setSpec(spec);
    StatusCondition condition = new StatusCondition();
    condition.type = type;
    condition.status = status;
    condition.reason = "Why";
    condition.message = "because.";
    NodePoolStatus said = new NodePoolStatus();
    said.observedGeneration = observed;
    said.conditions.add(condition);
    pool.setStatus(said);
    return pool;
  }
}
