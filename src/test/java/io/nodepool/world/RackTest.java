package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolStatus.RackCounts;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that NVL72 pools hold whole racks, whatever their targets and the faults. */
@Tag("world")
class RackTest {
  private static final String TYPE = "gb200-4x";

  private static DataCentre dataCentre(DataCentre.Mishaps mishaps) {
    return Drill.racks(TYPE, 3, 18)
        .withQuotas(new TreeMap<>(Map.of(TYPE, 90)))
        .withMishaps(mishaps);
  }

  private static Drill drill(long seed, Faults faults) {
    return Drill.with(
        seed, dataCentre(DataCentre.Mishaps.NONE), faults, OperatorOverrides.AS_BUILT);
  }

  private static Map<String, Long> racks(Drill drill, String pool) {
    return drill.pool(pool).hosts().stream()
        .collect(Collectors.groupingBy(host -> host.machine().rack(), Collectors.counting()));
  }

  @Test
  void targetRacksGivesThatNumberOfWholeRacks() {
    Drill drill = drill(1, Faults.NONE);
    drill.pool("a").racks(TYPE, 2).toRest();

    assertThat(racks(drill, "a")).isEqualTo(Map.of("1", 18L, "2", 18L));
    assertThat(drill.pool("a").seen().status().counts().racks()).contains(new RackCounts(2, 2, 0));
    assertThat(drill.pool("a").conditions())
        .containsEntry("AtTarget", "TargetMet")
        .containsEntry("Capacity", "Sufficient");
  }

  @Test
  void halfARackIsInvalidAndTheMessageNamesValidTargets() {
    Drill drill = drill(1, Faults.NONE);
    drill.pool("a").target(TYPE, 20).toRest();

    assertThat(drill.pool("a").conditions()).containsEntry("Validated", "Invalid");
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED))
        .contains("whole racks of 18", "right would be 18 or 36");
    assertThat(drill.pool("a").hosts()).isEmpty();
  }

  @Test
  void aRackOfWhichOneMachineIsOutOfServiceIsNotAssigned() {
    Drill drill = drill(1, Faults.NONE);
    Host first =
        drill.world.cluster().hosts().values().stream()
            .filter(host -> host.machine().rack().equals("1"))
            .findFirst()
            .orElseThrow();
    drill.world.cluster().fleetOwner().setAside(first.id().name(), "bent pin");
    drill.pool("a").racks(TYPE, 3).toRest();

    assertThat(racks(drill, "a")).isEqualTo(Map.of("2", 18L, "3", 18L));
    assertThat(drill.pool("a").conditions()).containsEntry("Capacity", "QueuedAwaitingCapacity");

    drill.world.cluster().fleetOwner().setAside(first.id().name(), "");
    drill.toRest();
    assertThat(racks(drill, "a")).hasSize(3);
  }

  @Test
  void whenTheTargetFallsWholeRacksAreRemovedAndOneWithABusyNodeWaits() {
    Drill drill = drill(1, Faults.NONE);
    drill.pool("a").racks(TYPE, 3).toRest();
    List<Pod> work =
        List.of("1", "2").stream()
            .map(rack ->
                drill.pool("a").hosts().stream()
                    .filter(host -> host.machine().rack().equals(rack))
                    .findFirst()
                    .orElseThrow())
            .map(host ->
                drill.world.cluster().bindPod("default", "work", host.id().name(), "ReplicaSet"))
            .toList();
    drill.toRest().pool("a").racks(TYPE, 1).toRest();

    assertThat(racks(drill, "a")).isEqualTo(Map.of("1", 18L, "2", 18L));
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned);
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .contains("18 more than its target of 18", "18 must wait", "2 busy nodes");

    drill.world.cluster().deletePod(work.getFirst().uid(), drill.world.instant());
    drill.toRest();
    assertThat(racks(drill, "a")).isEqualTo(Map.of("2", 18L));
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aTrayThatFailsIsReplacedByNoOtherRacksTray() {
    String broken =
        dataCentre(DataCentre.Mishaps.NONE).slots(InstanceCatalogue.bundled()).getFirst().host();
    DataCentre.Mishaps mishaps =
        DataCentre.Mishaps.NONE.withNeverBoot(new TreeSet<>(Set.of(broken)));
    Drill drill = Drill.with(1, dataCentre(mishaps), Faults.NONE, OperatorOverrides.AS_BUILT);
    drill.pool("a").racks(TYPE, 1).advance(10 * 60, MINUTES);

    assertThat(racks(drill, "a")).isEqualTo(Map.of("1", 17L));
    assertThat(drill.pool("a").message(PoolCondition.CAPACITY)).contains("Set aside");
  }

  @Test
  void whateverTheTargetsDoWhileMachinesBootPoolsHoldWholeRacksInTheEnd() {
    Census census = new Census();
    LongStream.rangeClosed(1, 60)
        .parallel()
        .forEach(seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          Faults faults =
              seed % 2 == 0 ? Faults.NONE : Faults.ROUGH.crashAt(1 + random.nextInt(80), true);
          Drill drill = drill(seed, faults);
          for (int i = 0; i < 8; i++) {
            drill.pool(random.nextBoolean() ? "a" : "b").racks(TYPE, random.nextInt(3));
            drill.world.advance(Duration.ofSeconds(random.nextInt(120)));
          }
          drill.toRest();
          for (String pool : drill.world.cluster().pools().keySet()) {
            assertThat(racks(drill, pool).values())
                .as("seed %d, %s, racks of %s", seed, faults, pool)
                .allMatch(hosts -> hosts == 18);
          }
          census.add(drill.world.situations());
        });
    census.report(
        "RackTest",
        EnumSet.of(
            Situation.CANCELLED_WHILE_BOOTING, Situation.SHORT_OF_MACHINES, Situation.ANSWER_LOST));
  }
}
