package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The operator dies before and after each of its writes, in many interleavings; every run must end
 * as the undisturbed one, with as many creates and deletes and the same events. {@code
 * -Dworld.interleavings=N} sets how many.
 */
@Execution(ExecutionMode.CONCURRENT)
class CrashMatrixTest {
  private static final int INTERLEAVINGS = Integer.getInteger("world.interleavings", 200);

  /** A scenario: what clients do, and when. */
  record Scenario(String name, Consumer<Drill> play) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Scenario> scenarios() {
    return Stream.of(
        new Scenario("growth", drill -> drill.pool("a").target(4)),
        new Scenario(
            "cancel", drill -> drill.pool("a").target(4).advance(40, SECONDS).pool("a").target(1)),
        new Scenario(
            "delete", drill -> drill.pool("a").target(3).advance(30, MINUTES).pool("a").delete()));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunEndsAsTheUndisturbedOne(Scenario scenario) {
    Drill undisturbed = Drill.calm(0);
    scenario.play().accept(undisturbed);
    SortedMap<String, String> expected = undisturbed.settle().outcome();
    int writes = undisturbed.world.writes();
    assertThat(writes).isGreaterThan(5);

    List<String> failures =
        IntStream.rangeClosed(1, writes)
            .parallel()
            .boxed()
            .flatMap(
                write -> Stream.of(true, false).map(after -> Faults.NONE.crashAt(write, after)))
            .flatMap(faults -> failures(scenario, faults, expected).stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }

  private static List<String> failures(
      Scenario scenario, Faults faults, SortedMap<String, String> expected) {
    List<String> failures = new ArrayList<>();
    for (long seed = 1; seed <= INTERLEAVINGS && failures.isEmpty(); seed++) {
      Drill drill = Drill.with(seed, faults, Parts.AS_BUILT);
      try {
        scenario.play().accept(drill);
        SortedMap<String, String> outcome = drill.settle().outcome();
        if (!outcome.equals(expected)) {
          failures.add(
              "seed %d, %s: %s instead of %s"
                  .formatted(
                      seed, faults, Difference.of(expected, outcome), "the undisturbed run"));
        }
      } catch (IllegalStateException broken) {
        failures.add(
            "seed %d, %s, step %d: %s"
                .formatted(seed, faults, drill.world.steps(), broken.getMessage()));
      }
    }
    return failures;
  }
}
