package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that under each fault the operator harms no Pod, sends a bounded number of requests, and
 * ends as the undisturbed run: without further faults, with one crash, and on an unreliable API
 * server. {@code -Dworld.seeds=N} sets the number of seeds.
 */
@Tag("world")
class TroubleTest {
  private static final long SEEDS = Math.max(2, Long.getLong("world.seeds", 0) / 50);
  private static final Census CENSUS = new Census();

  static Stream<Scenario> scenarios() {
    return TroubleScenarios.all();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunEndsAsTheUndisturbedOne(Scenario scenario) {
    assertThat(failures(scenario, CENSUS)).isEmpty();
  }

  @AfterAll
  static void theSituationsOccurred() {
    CENSUS.report(
        "TroubleTest",
        EnumSet.of(
            Situation.HOST_FAILED,
            Situation.CLEANING_UNASKED,
            Situation.TENANCY_AHEAD,
            Situation.UNREADABLE,
            Situation.DENIED,
            Situation.REFUSED,
            Situation.CHANGE_UNDONE,
            Situation.ANSWER_LOST,
            Situation.STARTED_WHILE_DRAINING));
  }

  /** Returns the failures under a few seeds of each kind. */
  static List<String> failures(Scenario scenario, Census census) {
    Scenario.Undisturbed undisturbed;
    try {
      undisturbed = scenario.undisturbed();
    } catch (IllegalStateException broken) {
      return List.of(scenario.name() + ", undisturbed: " + broken.getMessage());
    }
    return LongStream.rangeClosed(1, 3 * SEEDS)
        .parallel()
        .boxed()
        .flatMap(seed -> failure(scenario, seed, undisturbed, census).stream())
        .limit(3)
        .toList();
  }

  private static Optional<String> failure(
      Scenario scenario, long seed, Scenario.Undisturbed undisturbed, Census census) {
    SplittableRandom random = new SplittableRandom(seed);
    Faults faults =
        switch ((int) (seed / 3 % 3)) {
          case 0 -> Faults.NONE;
          case 1 -> Faults.NONE.crashAt(1 + random.nextInt(undisturbed.writes()), seed % 2 == 0);
          default -> Faults.ROUGH;
        };
    return scenario.failure(
        seed, faults, OperatorOverrides.AS_BUILT, undisturbed.outcome(), census);
  }
}
