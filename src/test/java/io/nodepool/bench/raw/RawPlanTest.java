package io.nodepool.bench.raw;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RawPlanTest {
  private static final RequestCounts WRITES =
      new RequestCounts(
          new TreeMap<>(
              Map.of(
                  "create nodes", 2L,
                  "patch nodes", 3L,
                  "patch hosts", 2L,
                  "apply nodepools/status", 2L)));

  @Test
  void everyMachineGetsItsShareInTheOrderOfItsLife() {
    RawPlan plan = RawPlan.of(RawLife.GROWTH, WRITES, 2);

    assertThat(plan.chains())
        .containsExactly(
            List.of("patch hosts", "create nodes", "patch nodes", "patch nodes"),
            List.of("patch hosts", "create nodes", "patch nodes"));
    assertThat(plan.loose()).containsExactly("apply nodepools/status", "apply nodepools/status");
  }

  @Test
  void aHostIsStoppedBeforeItsNodeIsDeletedAndReleasedAfterwards() {
    RequestCounts writes =
        new RequestCounts(
            new TreeMap<>(
                Map.of(
                    "patch nodes", 2L,
                    "patch hosts", 2L,
                    "patch hosts/status", 2L,
                    "delete nodes", 1L,
                    "delete pods", 1L)));

    RawPlan plan = RawPlan.of(RawLife.REMOVAL, RawLife.withPodLists(writes, 1), 1);
    assertThat(plan.chains())
        .containsExactly(
            List.of(
                "patch nodes",
                "patch nodes",
                "list pods",
                "patch hosts",
                "patch hosts/status",
                "delete nodes",
                "patch hosts",
                "patch hosts/status"));
    assertThat(plan.loose()).containsExactly("delete pods");
  }

  @Test
  void thePlanHasExactlyTheWrites() {
    assertThat(RawPlan.of(RawLife.GROWTH, WRITES, 2).total()).isEqualTo(WRITES.total());
  }

  @Test
  void aScaledPlanHasAllKinds() {
    assertThat(RawPlan.scaled(WRITES, 2, 1).byKind())
        .isEqualTo(
            Map.of(
                "create nodes", 1L,
                "patch nodes", 2L,
                "patch hosts", 1L,
                "apply nodepools/status", 1L));
  }
}
