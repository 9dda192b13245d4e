package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests scenarios with a fleet whose reports about boots are wrong or late. Once they are right
 * again, each run comes to rest, and nothing is left over. {@code -Dworld.seeds=N} sets the number
 * of seeds.
 */
@Tag("world")
class FaultyFleetTest {
  private static final long SEEDS = Math.max(6, Long.getLong("world.seeds", 0) / 100);

  static Stream<Scenario> scenarios() {
    return Stream.of(RebootScenarios.all(), RolloutScenarios.all(), PreemptionScenarios.all())
        .flatMap(scenarios -> scenarios);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunRecovers(Scenario scenario) {
    Census census = new Census();
    List<String> failures =
        LongStream.rangeClosed(1, SEEDS)
            .parallel()
            .boxed()
            .flatMap(seed ->
                failure(
                    scenario,
                    seed,
                    faults(seed, new SplittableRandom(seed)),
                    OperatorOverrides.AS_BUILT,
                    census)
                    .stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
    census.report("FaultyFleetTest, " + scenario, EnumSet.noneOf(Situation.class));
  }

  /**
   * Each run has one kind of fault, or several. Boots without an id are decided by the seed alone,
   * so that the runs on record stay what they were.
   */
  static FleetFaults faults(long seed, SplittableRandom random) {
    return new FleetFaults(
            seed % 10 == 1 ? 50 : 0,
            percent(random),
            percent(random),
            percent(random),
            percent(random),
            percent(random))
        .withClock(Duration.ofSeconds(random.nextInt(-600, 600)));
  }

  private static int percent(SplittableRandom random) {
    return random.nextInt(3) == 0 ? 50 : 0;
  }

  /** Runs the scenario with a fleet that has these faults for three hours; returns the failure. */
  static Optional<String> failure(
      Scenario scenario,
      long seed,
      FleetFaults faults,
      OperatorOverrides overrides,
      Census census) {
    Drill drill = Drill.with(seed, scenario.dataCentre(), Faults.NONE, overrides).traced();
    String run = new PlayedRun(scenario.name(), seed, Faults.NONE, Optional.of(faults)).toString();
    try {
      drill.world.fleetFaults(faults);
      scenario.play().accept(drill);
      drill.world.advance(Duration.ofHours(3));
      drill.world.fleetFaults(FleetFaults.NONE);
      drill.toRest();
    } catch (IllegalStateException | IndexOutOfBoundsException | NoSuchElementException broken) {
      return Optional.of("%s, step %d: %s".formatted(run, drill.world.steps(), broken));
    } finally {
      census.add(drill.world.situations());
    }
    return AtRest.complaint(drill).map(complaint -> run + ": " + complaint);
  }
}
