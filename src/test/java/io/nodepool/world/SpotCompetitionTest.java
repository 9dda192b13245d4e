package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Observation;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests spot and on-demand pools that request more machines than there are, while the fleet
 * reclaims machines for on-demand pools: each machine that is reclaimed reaches the pool that waits
 * for it, the run comes to rest, and spot pools refill. {@code -Dworld.seeds=N} sets the number of
 * seeds.
 */
@Tag("world")
class SpotCompetitionTest {
  private static final long SEEDS = Long.getLong("world.seeds", 30);
  private static final int HOSTS = 12;
  private static final List<String> SPOT = List.of("s0", "s1");
  private static final List<String> ON_DEMAND = List.of("d0", "d1");

  /**
   * The longest time from the last change of a target to its effect: a window of preemption, the
   * cleaning and the boot of a machine, and that once more for a machine that must be delivered
   * again; and the waits of an operator that dies.
   */
  private static final Duration SETTLED = Duration.ofMinutes(40);

  @Test
  void reclaimedMachinesReachTheOnDemandPoolsAndSpotPoolsRefill() {
    Census census = new Census();
    LongStream.rangeClosed(1, SEEDS)
        .parallel()
        .forEach(seed -> {
          Faults faults = faults(seed);
          Drill drill = Drill.with(seed, dataCentre(), faults, OperatorOverrides.AS_BUILT);
          try {
            new Market(drill).play();
          } catch (AssertionError | IllegalStateException failure) {
            throw new AssertionError(
                "seed %d, %s, step %d: %s"
                    .formatted(seed, faults, drill.world.steps(), failure.getMessage()),
                failure);
          }
          census.add(drill.world.situations());
        });
    census.report(
        "SpotCompetitionTest",
        EnumSet.of(
            Situation.PREEMPTED,
            Situation.PREEMPTED_WHILE_BOOTING,
            Situation.NOTICE_WITHDRAWN_WHILE_ADMITTED,
            Situation.SHORT_OF_MACHINES,
            Situation.CANCELLED_WHILE_BOOTING));
  }

  private static Faults faults(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch ((int) (seed % 3)) {
      case 0 -> Faults.NONE;
      case 1 -> Faults.ROUGH;
      default -> Faults.NONE.crashAt(1 + random.nextInt(150), random.nextBoolean());
    };
  }

  private static DataCentre dataCentre() {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "example-org"),
        7,
        List.of(new DataCentre.Rack("101", Drill.GPU, HOSTS)),
        new DataCentre.Terms(
            new TreeMap<>(Map.of(Drill.GPU, 4 * HOSTS)),
            new TreeSet<>(),
            List.of(FleetRelease.whole("ncore-2.10.1", List.of("ncore 2.10.1"))),
            new TreeMap<>()),
        new DataCentre.Timings(Duration.ofMinutes(4), Duration.ofMinutes(6), Duration.ofMinutes(1)),
        DataCentre.Mishaps.NONE);
  }

  /** One run: pools of both kinds whose targets change. */
  private static final class Market {
    private final Drill drill;
    private final WorldCluster cluster;

    /** How often each machine changed its holder. */
    private final Map<String, Integer> moves = new HashMap<>();

    private final Map<String, String> holders = new HashMap<>();

    Market(Drill drill) {
      this.drill = drill;
      this.cluster = drill.world.cluster();
      cluster.fleetOwner().reclaimForOnDemand();
      cluster.watch(WorldCluster.Kind.HOSTS, this::see);
    }

    private void see(Observation seen) {
      if (seen instanceof Observation.HostSeen(Host host)) {
        String next = host.assignment().map(each -> each.pool().uid()).orElse("");
        if (!next.equals(holders.put(host.id().name(), next))) {
          moves.merge(host.id().name(), 1, Integer::sum);
        }
      }
    }

    void play() {
      SplittableRandom random = drill.random;
      SPOT.forEach(name -> drill.pool(name).spot(3 + random.nextInt(HOSTS / 2)));
      pass(1200);
      ON_DEMAND.forEach(name -> drill.pool(name).target(random.nextInt(HOSTS / 2)));
      for (int i = 0; i < 10; i++) {
        pass(600);
        change(random);
      }
      restsWithin();
      everyPoolHasItsShare();

      // Once on-demand pools need nothing, all machines are for the spot pools again.
      ON_DEMAND.forEach(name -> drill.pool(name).target(0));
      SPOT.forEach(name -> drill.pool(name).spot(HOSTS / 2));
      restsWithin();
      for (String name : SPOT) {
        assertThat(drill.pool(name).nodes()).as(name).hasSize(HOSTS / 2);
        assertThat(drill.pool(name).conditions()).containsEntry("AtTarget", "TargetMet");
      }
      assertThat(AtRest.complaint(drill)).isEmpty();
    }

    private void change(SplittableRandom random) {
      if (random.nextBoolean()) {
        drill.pool(ON_DEMAND.get(random.nextInt(2))).target(random.nextInt(HOSTS));
      } else {
        drill.pool(SPOT.get(random.nextInt(2))).spot(random.nextInt(HOSTS));
      }
      if (random.nextInt(4) == 0) {
        drill.pool(SPOT.get(random.nextInt(2))).busy();
      }
    }

    private void pass(int seconds) {
      drill.world.advance(Duration.ofSeconds(drill.random.nextInt(seconds)));
    }

    /** The run comes to rest in bounded time, and no machine moves to and fro meanwhile. */
    private void restsWithin() {
      List.copyOf(cluster.pods().keySet())
          .forEach(uid -> cluster.deletePod(uid, drill.world.instant()));
      moves.clear();
      Instant since = drill.world.instant();
      drill.world.advance(SETTLED);
      while (!drill.world.isAtRest()
          && drill.world.instant().isBefore(since.plus(SETTLED.multipliedBy(2)))) {
        drill.world.advance(Duration.ofMinutes(1));
      }
      assertThat(drill.world.isAtRest())
          .as("at rest; due: %s", drill.world.operators().due())
          .isTrue();
      // It leaves one pool and reaches another; a notice may come while it is on its way once.
      assertThat(moves.values()).as("moves of machines: %s", moves).allMatch(count -> count <= 4);
    }

    /** On-demand pools have what they request, as far as there are machines; spot has the rest. */
    private void everyPoolHasItsShare() {
      int onDemand = ON_DEMAND.stream().mapToInt(this::target).sum();
      int spot = SPOT.stream().mapToInt(this::target).sum();
      int served = Math.min(onDemand, HOSTS);
      assertThat(ON_DEMAND.stream().mapToInt(this::nodes).sum()).as("on demand").isEqualTo(served);
      assertThat(SPOT.stream().mapToInt(this::nodes).sum())
          .as("spot")
          .isEqualTo(Math.min(spot, HOSTS - served));
      if (onDemand <= HOSTS) {
        assertThat(cluster.hosts().values()).allMatch(host -> host.reclaim().isEmpty());
      }
    }

    private int target(String name) {
      return drill.pool(name).seen().spec().target();
    }

    private int nodes(String name) {
      return drill.pool(name).nodes().size();
    }
  }
}
