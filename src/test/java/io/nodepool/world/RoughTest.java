package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Answers get lost, requests are turned away, watches lag and break, and in half of the runs the
 * operator also dies once: every run still ends as the undisturbed one. {@code -Dworld.seeds=N}
 * sets how many.
 */
@Tag("world")
class RoughTest {
  private static final long SEEDS = Long.getLong("world.seeds", 600);

  static Stream<Scenario> scenarios() {
    return Scenario.all();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunEndsAsTheUndisturbedOne(Scenario scenario) {
    Scenario.Undisturbed undisturbed = scenario.undisturbed();
    List<String> failures =
        LongStream.rangeClosed(1, SEEDS)
            .parallel()
            .boxed()
            .flatMap(seed ->
                scenario
                    .failure(
                        seed,
                        faults(seed, undisturbed.writes()),
                        Parts.AS_BUILT,
                        undisturbed.outcome())
                    .stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }

  private static Faults faults(long seed, int writes) {
    SplittableRandom random = new SplittableRandom(seed);
    return seed % 2 == 0
        ? Faults.ROUGH
        : Faults.ROUGH.crashAt(1 + random.nextInt(writes), random.nextBoolean());
  }
}
