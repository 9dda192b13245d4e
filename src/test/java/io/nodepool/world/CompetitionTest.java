package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests ten pools that request twice the quota and twice the machines, with priorities and changing
 * targets: the quota is never exceeded, no Host is assigned twice, the pools are served in order,
 * and none waits for what it may have. {@code -Dworld.seeds=N} sets the number of seeds.
 */
@Tag("world")
class CompetitionTest {
  private static final long SEEDS = Long.getLong("world.seeds", 30);

  private static final int HOSTS = 20;
  private static final int QUOTA = 20;
  private static final int POOLS = 10;

  @Test
  void tenPoolsThatRequestTwiceTheSupplyAreServedInOrder() {
    Census census = new Census();
    LongStream.rangeClosed(1, SEEDS)
        .parallel()
        .forEach(seed -> {
          Faults faults = faults(seed);
          Drill drill = Drill.with(seed, dataCentre(), faults, OperatorOverrides.AS_BUILT);
          try {
            play(drill);
          } catch (AssertionError | IllegalStateException failure) {
            throw new AssertionError(
                "seed %d, %s, step %d: %s"
                    .formatted(seed, faults, drill.world.steps(), failure.getMessage()),
                failure);
          }
          census.add(drill.world.situations());
        });
    census.report(
        "CompetitionTest",
        EnumSet.of(
            Situation.OVER_QUOTA,
            Situation.SHORT_OF_MACHINES,
            Situation.CANCELLED_WHILE_BOOTING,
            Situation.POOL_RECREATED,
            Situation.ANSWER_LOST,
            Situation.LATE_EFFECT));
  }

  @Test
  void quotaThatIsFreedBeforeTheObjectRecordsItIsFound() {
    OperatorOverrides hasty =
        OperatorOverrides.AS_BUILT.withPlanner(
            planner -> (seen, now) -> planner.plan(freedEarly(seen), now));
    Optional<IllegalStateException> found =
        LongStream.rangeClosed(1, SEEDS).boxed().flatMap(seed -> broken(seed, hasty)).findFirst();
    assertThat(found).isPresent();
    assertThat(found.get()).hasMessageContaining("exceed the quota of " + QUOTA);
  }

  /** Seed 29: a grant of an operator that died takes effect after its successor has listed. */
  @Test
  void aGrantBesideOneOfAFormerOperatorIsFound() {
    OperatorOverrides sure =
        OperatorOverrides.AS_BUILT.withPlanner(planner ->
            (seen, now) -> planner.plan(seen.withWatched(seen.watched().from(Instant.MIN)), now));
    assertThat(broken(29, sure))
        .singleElement(InstanceOfAssertFactories.THROWABLE)
        .hasMessageContaining("exceed the quota of " + QUOTA);
  }

  private static Stream<IllegalStateException> broken(long seed, OperatorOverrides overrides) {
    try {
      play(Drill.with(seed, dataCentre(), faults(seed), overrides));
      return Stream.empty();
    } catch (IllegalStateException broken) {
      return Stream.of(broken);
    }
  }

  /** The snapshot with quota that is free as soon as it is planned to be. */
  private static PoolSnapshot freedEarly(PoolSnapshot seen) {
    List<Claim> others =
        seen.others().stream()
            .map(claim -> claim.withSecured(Math.max(claim.granted(), claim.held())))
            .toList();
    return seen.withAvailability(seen.availability().withOthers(others));
  }

  private static Faults faults(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch ((int) (seed % 3)) {
      case 0 -> Faults.NONE;
      case 1 -> Faults.ROUGH;
      default -> Faults.LATE.crashAt(1 + random.nextInt(150), random.nextBoolean());
    };
  }

  private static DataCentre dataCentre() {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "example-org"),
        7,
        List.of(new DataCentre.Rack("101", Drill.GPU, HOSTS)),
        new DataCentre.Terms(
            new TreeMap<>(Map.of(Drill.GPU, QUOTA)),
            new TreeSet<>(),
            List.of(FleetRelease.whole("ncore-2.10.1", List.of("ncore 2.10.1"))),
            new TreeMap<>()),
        new DataCentre.Timings(Duration.ofMinutes(4), Duration.ofMinutes(6), Duration.ofMinutes(1)),
        DataCentre.Mishaps.NONE);
  }

  private static void play(Drill drill) {
    SplittableRandom random = drill.random;
    for (int i = 0; i < POOLS; i++) {
      int priority = random.nextInt(3) - 1;
      drill.pool("p" + i).target(1 + random.nextInt(6));
      drill.pool("p" + i).edit(spec -> spec.withPriority(priority));
      pass(drill, 5);
    }
    for (int i = 0; i < 20; i++) {
      drill.pool("p" + random.nextInt(POOLS)).target(random.nextInt(8));
      pass(drill, 90);
      if (random.nextInt(8) == 0) {
        String victim = "p" + random.nextInt(POOLS);
        if (drill.world.cluster().pool(victim).isPresent()) {
          drill.pool(victim).delete();
        }
        pass(drill, 90);
      }
    }
    drill.toRest();
    everyPoolHasItsGrantByTheOrder(drill);

    // Once the other pools request nothing, a waiting pool is served: none starves.
    int wished = 1 + random.nextInt(QUOTA / 2);
    List<String> names = new ArrayList<>(drill.world.cluster().pools().keySet());
    if (names.isEmpty()) {
      return;
    }
    String last = names.get(random.nextInt(names.size()));
    names.stream().filter(name -> !name.equals(last)).forEach(name -> drill.pool(name).delete());
    drill.pool(last).target(wished);
    drill.toRest();
    assertThat(drill.pool(last).nodes().size()).as(last).isGreaterThanOrEqualTo(wished);
    assertThat(drill.pool(last).conditions()).containsEntry("Quota", "Under");
  }

  private static void pass(Drill drill, int seconds) {
    drill.world.advance(Duration.ofSeconds(drill.random.nextInt(seconds)));
  }

  /** At rest, the grants equal those of serving all claims in order. */
  private static void everyPoolHasItsGrantByTheOrder(Drill drill) {
    List<Pool> pools = List.copyOf(drill.world.cluster().pools().values());
    int used = pools.stream().mapToInt(pool -> Math.max(granted(pool), held(drill, pool))).sum();
    assertThat(used).isLessThanOrEqualTo(QUOTA);
    List<Pool> over =
        pools.stream()
            .filter(pool ->
                pool.status()
                    .condition(PoolCondition.QUOTA)
                    .filter(condition -> condition.reason() == QuotaReason.OVER)
                    .isPresent())
            .sorted(Comparator.comparing(CompetitionTest::claim, Claim.ORDER))
            .toList();
    for (Pool pool : over) {
      int increment = pool.spec().target() - Math.max(granted(pool), held(drill, pool));
      assertThat(used + increment).as("%s could be granted", pool.id()).isGreaterThan(QUOTA);
    }
    List<Pool> waiting = pools.stream().filter(pool -> granted(pool) > held(drill, pool)).toList();
    long free = drill.world.cluster().hosts().values().stream().filter(Host::isFree).count();
    if (!waiting.isEmpty()) {
      assertThat(free).as("free while %s wait", waiting.size()).isZero();
    }
    for (Pool pool : pools) {
      assertThat(
              pool.status().currentNodes()
                  + pool.status().counts().inProgress()
                  + pool.status().counts().queued())
          .as("counts of %s", pool.id().name())
          .isEqualTo(Math.max(granted(pool), held(drill, pool)));
    }
  }

  private static Claim claim(Pool pool) {
    Growth growth = pool.status().growth().orElseThrow();
    PoolSpec spec = pool.spec();
    return new Claim(
        pool.id(),
        new Claim.Rank(spec.isSpot(), spec.priority(), growth.askedAt()),
        spec.target(),
        spec.target(),
        growth.granted(),
        growth.granted(),
        0,
        spec.affinity());
  }

  private static int granted(Pool pool) {
    return pool.status().growth().map(Growth::granted).orElse(0);
  }

  private static int held(Drill drill, Pool pool) {
    return (int)
        drill.world.cluster().hosts().values().stream()
            .filter(host -> host.isHeldBy(pool.id().uid()))
            .count();
  }
}
