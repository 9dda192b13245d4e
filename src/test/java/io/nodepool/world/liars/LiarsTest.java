package io.nodepool.world.liars;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Generated runs in which monitors lie, and true faults: what they may cost at most, and that true
 * faults are repaired. {@code -Dliars.runs=N} sets the number of runs, {@code -Dliars.first=N} the
 * first seed, and {@code -Dliars.seed=N} plays one alone.
 */
@Tag("world")
class LiarsTest {
  private static final long RUNS = Long.getLong("liars.runs", 300);
  private static final long FIRST = Long.getLong("liars.first", 1);
  private static final int MOST_REPORTED = 20;

  /** Later runs that found something, in the operator or in a check; played with the first ones. */
  private static final long[] FOUND = {
    7852, 8042, 8501, 8990, 9075, 9196, 9355, 9649, 9914, 10299, 60482, 62113, 71356, 71548, 71781,
    80038, 80450, 82463, 84344, 85591, 95837, 96317, 97871, 101494, 102812, 103934
  };

  @Test
  void noLieCostsMoreThanItsBoundAndNoTrueFaultWaitsForEver() {
    Long one = Long.getLong("liars.seed");
    List<Outcome> outcomes =
        one == null
            ? seeds().parallel().mapToObj(LiarsTest::outcome).toList()
            : List.of(outcome(one));
    report(outcomes);
    assertThat(
            outcomes.stream()
                .filter(outcome -> !outcome.violations().isEmpty())
                .limit(MOST_REPORTED)
                .map(LiarsTest::text)
                .toList())
        .isEmpty();
  }

  private static LongStream seeds() {
    LongStream asked = LongStream.range(FIRST, FIRST + RUNS);
    return FIRST == 1 ? LongStream.concat(asked, LongStream.of(FOUND)) : asked;
  }

  private static Outcome outcome(long seed) {
    return LiarPlay.outcome(seed, OperatorOverrides.AS_BUILT);
  }

  private static String text(Outcome outcome) {
    StringBuilder text = new StringBuilder(outcome.run().toString());
    outcome.violations().forEach(each -> text.append("\n  ").append(each));
    return text.toString();
  }

  private static void report(List<Outcome> outcomes) {
    Map<Violation.Kind, Integer> kinds = new EnumMap<>(Violation.Kind.class);
    Map<String, Integer> worlds = new TreeMap<>();
    for (Outcome outcome : outcomes) {
      outcome.violations().stream()
          .map(Violation::kind)
          .distinct()
          .forEach(kind -> kinds.merge(kind, 1, Integer::sum));
      outcome.violations().stream()
          .filter(each -> each.kind() == Violation.Kind.WORLD)
          .forEach(each -> worlds.merge(shape(each.what()), 1, Integer::sum));
    }
    System.out.printf(
        "liars: %d runs, %d with a violation %s%n  at most: the work of %d Nodes of a pool ended in"
            + " a day, %d of its machines set aside; a true fault waited for %s%n",
        outcomes.size(),
        outcomes.stream().filter(each -> !each.violations().isEmpty()).count(),
        kinds,
        outcomes.stream().mapToInt(Outcome::workEnded).max().orElse(0),
        outcomes.stream().mapToInt(Outcome::setAside).max().orElse(0),
        outcomes.stream().map(Outcome::longestWait).max(Duration::compareTo).orElse(Duration.ZERO));
    Map<String, Long> happened = new TreeMap<>();
    outcomes.forEach(
        each -> each.happened().forEach((what, n) -> happened.merge(what, n, Long::sum)));
    System.out.printf("  %s%n", happened);
    worlds.forEach((what, count) -> System.out.printf("  %d times: %s%n", count, what));
  }

  /** The text of a violation without names and numbers. */
  private static String shape(String what) {
    String shape = what.replaceAll("\\bg[0-9a-f]{6,}\\b", "HOST").replaceAll("[0-9]+", "N");
    return shape.substring(0, Math.min(160, shape.length()));
  }
}
