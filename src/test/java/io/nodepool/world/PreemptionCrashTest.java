package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests a crash of the operator before and after each write of a preemption: the instants of the
 * timeline are those of the undisturbed run, and no Event is written more than twice. {@link
 * CrashMatrixTest} compares the ends of these runs.
 */
@Tag("world")
class PreemptionCrashTest {
  private static final long SEEDS = 2;

  static Stream<Scenario> scenarios() {
    return Stream.of(
        PreemptionScenarios.preemption(),
        PreemptionScenarios.whileDraining(),
        PreemptionScenarios.cutOff());
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void noCrashMovesAnInstantOrRepeatsAnEventTwice(Scenario scenario) {
    SortedMap<String, String> undisturbed = instants(scenario, 0, Faults.NONE, 0);
    int writes = scenario.undisturbed().writes();
    assertThat(undisturbed).isNotEmpty();

    List<String> moved =
        IntStream.rangeClosed(1, writes)
            .boxed()
            .flatMap(
                write -> Stream.of(true, false).map(after -> Faults.NONE.crashAt(write, after)))
            .flatMap(faults ->
                LongStream.rangeClosed(1, SEEDS)
                    .filter(seed -> !instants(scenario, seed, faults, 1).equals(undisturbed))
                    .mapToObj(seed -> "seed %d, %s".formatted(seed, faults)))
            .limit(3)
            .toList();
    assertThat(moved).isEmpty();
  }

  private SortedMap<String, String> instants(
      Scenario scenario, long seed, Faults faults, int repeats) {
    SortedMap<String, String> instants = new TreeMap<>();
    Drill drill = Drill.with(seed, scenario.dataCentre(), faults, OperatorOverrides.AS_BUILT);
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)
                  && node.disruption().orElse(null) instanceof Disruption.Committed committed
                  && committed.limits().stopAt().isPresent()) {
                instants.put(
                    node.name(),
                    "force %s, stop %s"
                        .formatted(committed.forceAt(), committed.limits().stopAt().get()));
              }
            });
    scenario.play().accept(drill);
    drill.settle();
    for (EventReason reason :
        List.of(
            EventReason.PREEMPTION_PENDING,
            EventReason.PREEMPTION_IN_PROGRESS,
            EventReason.DELETED_FOR_PREEMPTION)) {
      assertThat(drill.events(reason).count()).as("%s", reason).isEqualTo(instants.size());
      assertThat(drill.events(reason).mapToInt(WorldCluster.EventRecord::told))
          .as("%s, %s", reason, faults)
          .allMatch(told -> told <= 1 + repeats);
    }
    return instants;
  }
}
