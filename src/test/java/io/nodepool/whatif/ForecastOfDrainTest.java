package io.nodepool.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.PodBudget;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is said of a drain heeds budgets, as evictions do. */
@Tag("world")
class ForecastOfDrainTest {
  private final World world =
      OpenWorld.unwatched(1, OpenWorld.racks(Story.TYPE, 1, 4), OperatorOverrides.AS_BUILT);
  private final WorldCluster cluster = world.cluster();

  @BeforeEach
  void threeNodesEachWithAPod() {
    cluster.createPool("a", Fixtures.spec(Story.TYPE, 3), world.instant());
    world.advance(Duration.ofHours(2));
    for (String node : List.copyOf(cluster.nodes().keySet())) {
      cluster.workloads().bind("default", node, node, "ReplicaSet", Pod.Interruption.NONE, false);
    }
    world.advance(Duration.ofSeconds(2));
    assertThat(cluster.nodes()).hasSize(3);
  }

  private Forecast drainOfAll(int allowed) {
    List<Observation> listed =
        Stream.of(WorldCluster.Kind.values()).flatMap(kind -> cluster.list(kind).stream()).toList();
    Set<String> pods = cluster.pods().keySet().stream().collect(Collectors.toSet());
    return Forecast.of(
        listed,
        List.of(new PodBudget("default/web", pods, allowed)),
        world.instant(),
        new Question.DrainOfNodes(List.copyOf(cluster.nodes().keySet())));
  }

  private static List<Forecast.Expected> ends(Forecast forecast) {
    return forecast.happenings().stream()
        .filter(each -> each.what() == Happening.What.WORK_ENDS)
        .toList();
  }

  @Test
  void aPodWhoseBudgetAllowsNothingDoesNotEnd() {
    assertThat(ends(drainOfAll(0))).isEmpty();
  }

  @Test
  void podsOfABudgetThatAllowsOneEndOneAfterAnother() {
    List<Instant> ends = ends(drainOfAll(1)).stream().map(Forecast.Expected::earliest).toList();
    assertThat(ends).hasSize(3).isSorted();
    for (int i = 1; i < ends.size(); i++) {
      assertThat(Duration.between(ends.get(i - 1), ends.get(i)))
          .isGreaterThan(WorldPods.GRACE.minusSeconds(5));
    }
  }

  @Test
  void podsOfABudgetThatAllowsAllEndAtOnce() {
    assertThat(ends(drainOfAll(3)))
        .hasSize(3)
        .allMatch(
            each -> each.earliest().isBefore(world.instant().plus(WorldPods.GRACE).plusSeconds(5)));
  }
}
