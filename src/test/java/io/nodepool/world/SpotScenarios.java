package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;

import io.nodepool.fleet.Host;
import io.nodepool.model.Fixtures;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.DataCentre;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Scenarios in which the fleet wants machines back from spot pools before they booted. */
final class SpotScenarios {
  private SpotScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(onDemandInstead(), wantedBack());
  }

  /** Four machines, and quota for twice as many Nodes. */
  private static DataCentre few() {
    return Drill.dataCentre()
        .withRacks(List.of(new DataCentre.Rack("101", Drill.GPU, 4)))
        .withQuotas(new TreeMap<>(Map.of(Drill.GPU, 8)));
  }

  /** Creates a spot pool. */
  static Drill.PoolDrill spotPool(Drill drill, String name, int target) {
    PoolSpec spec = Fixtures.spec(target);
    drill
        .world
        .cluster()
        .createPool(
            name,
            spec.withMachines(spec.machines().withComputeClass("spot")),
            drill.world.instant());
    return drill.pool(name);
  }

  /** A spot pool holds all machines; an on-demand pool queues for two of them. */
  private static Scenario onDemandInstead() {
    return new Scenario(
        "on demand instead of spot",
        few(),
        Agreement.NUMBERS,
        drill -> {
          drill.world.cluster().fleetOwner().reclaimForOnDemand();
          spotPool(drill, "s", 4);
          drill.advance(15, MINUTES).pool("a").target(2);
        });
  }

  /** The fleet wants two machines back, and after a while no longer. */
  private static Scenario wantedBack() {
    return new Scenario(
        "wanted back before the boot",
        few(),
        Agreement.NUMBERS,
        drill -> {
          Drill.PoolDrill pool = spotPool(drill, "s", 3);
          drill.advance(5, MINUTES);
          List<String> wanted =
              pool.hosts().stream().limit(2).map(Host::id).map(id -> id.name()).toList();
          wanted.forEach(host ->
              drill
                  .world
                  .cluster()
                  .fleetOwner()
                  .reclaim(host, Duration.ofMinutes(7), drill.world.instant()));
          drill.advance(10, MINUTES);
          wanted.forEach(drill.world.cluster().fleetOwner()::withdrawReclaim);
        });
  }
}
