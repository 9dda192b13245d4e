package io.nodepool.plan.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.control.PoolPlanning;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.world.check.cost.PlanCost;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How many members a plan visits in a pool of 5,000 Nodes while a rollout runs: for the letters see
 * {@link RolloutFixture}.
 */
@Tag("slow")
class RolloutCostTest {
  private static final PoolPlanning PLANNER =
      new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS)::plan;
  private static final RolloutSettings CANARY =
      RolloutSettings.DEFAULTS.withCanary(5, Duration.ofMinutes(10));

  /** The Nodes of a text such as "250T 4750o". */
  private static String nodes(String counts) {
    StringBuilder nodes = new StringBuilder();
    for (String part : counts.split(" ", -1)) {
      int count = Integer.parseInt(part.substring(0, part.length() - 1));
      nodes.append(part.substring(part.length() - 1).repeat(count));
    }
    return nodes.toString();
  }

  private static int visits(PoolSnapshot seen) {
    AtomicInteger visits = new AtomicInteger();
    PoolSnapshot counted = seen.withMembers(seen.members().onVisit(visits::incrementAndGet));
    PLANNER.plan(counted, RolloutFixture.NOW);
    PlanCost.bounded(PLANNER).plan(seen, RolloutFixture.NOW);
    return visits.get();
  }

  @ParameterizedTest
  @CsvSource({
    // Nodes, failures | visits
    "250T 2375o 2375n, 0, 0",
    "250T 2375o 2375n, 2, 0",
    "2500b 2500n,      0, 0",
    "1o 2499b 2500n,   0, 1",
    "2500k 2500n,      0, 0",
    "250x 2375o 2375n, 0, 128",
    "250T 9x 2375o 2375n, 0, 0",
    "2c 2375b 2375n,   0, 0",
    "2500d 2500n,      0, 0",
  })
  void aPlanVisitsTheNodesThatItChoosesOrNames(String nodes, int failures, int visits) {
    assertThat(visits(new RolloutFixture().nodes(nodes(nodes)).failures(failures).seen()))
        .isEqualTo(visits);
  }

  @Test
  void aCanaryIsCounted() {
    RolloutFixture waits = new RolloutFixture().nodes(nodes("5T 4995o")).settings(CANARY);
    assertThat(visits(waits.seen())).isEqualTo(0);
    RolloutFixture soaks =
        new RolloutFixture()
            .nodes(nodes("5n 4995o"))
            .settings(CANARY)
            .state(
                RolloutState.NONE
                    .started()
                    .withCanary(Optional.of(RolloutState.Canary.begun(RolloutFixture.NOW))));
    assertThat(visits(soaks.seen())).isEqualTo(0);
  }

  @ParameterizedTest
  @CsvSource({
    // the first of 278 racks, the next 138, the others | visits
    "TTTTTTTTTTTTTTTTTT, oooooooooooooooooo, nnnnnnnnnnnnnnnnnn, 0",
    "nnnnnnnnnnnnnnnnno, oooooooooooooooooo, nnnnnnnnnnnnnnnnnn, 1",
    "nnnnnnnnnnnnnnnnnb, oooooooooooooooooo, nnnnnnnnnnnnnnnnnn, 0",
    "oooooooooooooooooo, oooooooooooooooooo, nnnnnnnnnnnnnnnnnn, 18",
    "boooooooooooooooob, booooooooooooooooo, nnnnnnnnnnnnnnnnnn, 0",
  })
  void racksAreCounted(String first, String next, String others, int visits) {
    String racks = first + (" " + next).repeat(138) + (" " + others).repeat(139);
    assertThat(visits(new RolloutFixture().most(1).racks(racks).seen())).isEqualTo(visits);
  }

  @Test
  void aPlanThatWalksThePoolIsFound() {
    PoolPlanning walking =
        (seen, now) -> {
          seen.members().forEach(member -> assertThat(member.host()).isNotNull());
          return PLANNER.plan(seen, now);
        };
    PoolSnapshot seen = new RolloutFixture().nodes(nodes("2500b 2500n")).seen();
    assertThatThrownBy(() -> PlanCost.bounded(walking).plan(seen, RolloutFixture.NOW))
        .hasMessageContaining("visits members 5000 times, at most 41 is allowed");
  }
}
