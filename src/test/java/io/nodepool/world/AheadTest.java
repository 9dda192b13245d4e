package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the operator does not get through yet. Each of these fails until its fault is mended; then
 * its name goes from {@link #NAMES}, and {@link TroubleTest} plays it from there on.
 */
@Tag("ahead")
class AheadTest {
  static final Set<String> NAMES = Set.of();

  static Stream<Scenario> scenarios() {
    return TroubleScenarios.all().filter(scenario -> NAMES.contains(scenario.name()));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunEndsAsTheUndisturbedOne(Scenario scenario) {
    assertThat(TroubleTest.failures(scenario, new Census())).isEmpty();
  }

  /** All that can happen, at any moment. */
  @Test
  void whateverHappenedItHeals() {
    Set<Monkey.Prank> all = EnumSet.allOf(Monkey.Prank.class);
    List<String> failures =
        LongStream.rangeClosed(1, 30)
            .parallel()
            .boxed()
            .flatMap(seed -> Monkey.failure(seed, all, Parts.AS_BUILT, new Census()).stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }
}
