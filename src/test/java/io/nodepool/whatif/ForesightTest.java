package io.nodepool.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.nodepool.control.PoolPlanning;
import io.nodepool.model.Fixtures;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is forecast is what then happens: in generated clusters, at any step of what happens to
 * them. A forecast has the lists alone, as text. {@code -Dforecast.runs=N} sets the number, {@code
 * -Dforecast.first=N} the first seed.
 */
@Tag("world")
class ForesightTest {
  private static final long RUNS = Long.getLong("forecast.runs", 150);
  private static final long FIRST = Long.getLong("forecast.first", 1);
  private static final Duration HORIZON = Duration.ofHours(12);

  /** So many orders of steps, and durations, are tried before a difference is a fault. */
  private static final int FORKS = 40;

  private static final int MOST_REPORTED = 10;

  /** In so many worlds a mutation shows. */
  private static final int MUTATED = 60;

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration MINUTES_20 = Duration.ofMinutes(20);

  /**
   * What is found of one world.
   *
   * @param facts how many were said or happened
   * @param open how many the forecast itself calls open
   * @param raced how many of them differ, and would with another order of steps or durations
   * @param text what else differs; empty text if nothing does
   */
  private record Judged(
      int facts, int open, int raced, String text, int instants, int within, List<Double> ranges) {
    Judged with(int ofFacts, int undecided, int different, String what) {
      return new Judged(ofFacts, undecided, different, what, instants, within, ranges);
    }
  }

  @Test
  void whatIsForecastIsWhatThenHappens() {
    List<Judged> all =
        LongStream.range(FIRST, FIRST + RUNS)
            .parallel()
            .mapToObj(seed -> judge(seed, OperatorOverrides.AS_BUILT))
            .toList();
    int instants = all.stream().mapToInt(Judged::instants).sum();
    int within = all.stream().mapToInt(Judged::within).sum();
    List<Double> ranges = all.stream().flatMap(each -> each.ranges().stream()).sorted().toList();
    double median = ranges.isEmpty() ? 0 : ranges.get(ranges.size() / 2);
    List<String> wrong = all.stream().map(Judged::text).filter(text -> !text.isEmpty()).toList();
    System.out.printf(
        "forecasts: %d worlds, %d facts, of which %d are called open and races decide %d in %d worlds; wrong in %d; %d of"
            + " %d instants within their range, whose median is %.2f of the duration%n",
        all.size(),
        all.stream().mapToInt(Judged::facts).sum(),
        all.stream().mapToInt(Judged::open).sum(),
        all.stream().mapToInt(Judged::raced).sum(),
        all.stream().filter(each -> each.raced() > 0).count(),
        wrong.size(),
        within,
        instants,
        median);
    assertThat(wrong.stream().limit(MOST_REPORTED)).isEmpty();
    assertThat(within).as("of %d", instants).isGreaterThanOrEqualTo((int) (instants * 0.95));
    assertThat(median).isLessThanOrEqualTo(2);
  }

  /**
   * A pool whose end depends on the settling of a cordon; a machine that stopped 40 s ago, whose
   * Node is still Ready; a report and a notice at the same instant; an attempt to boot that began
   * long before its machine changed last.
   */
  @ParameterizedTest
  @ValueSource(longs = {52_460, 106_953, 101_980, 206_437})
  void whatWasForecastWronglyIsNotAnyMore(long seed) {
    assertThat(judge(seed, OperatorOverrides.AS_BUILT).text()).isEmpty();
  }

  /** Operators that decide otherwise than the planners of the forecast. */
  static Stream<Arguments> mutations() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        arguments(
            "a machine may take 20 minutes to boot",
            settings(each -> each.withDelivery(each.delivery().withDeadline(MINUTES_20)))),
        arguments("a cordon settles for 20 minutes", settings(each -> each.withSettle(MINUTES_20))),
        arguments(
            "a reboot may take a minute",
            settings(each ->
                each.withReboot(
                    new PlanSettings.RebootSettings(
                        MINUTE,
                        each.reboot().verificationDeadline(),
                        each.reboot().attempts(),
                        each.reboot().forced(),
                        each.reboot().unfinished())))),
        arguments(
            "a pool takes one Node more than it is told to",
            built.withPlanner(planner -> changed(planner, ForesightTest::more))),
        arguments(
            "busy Nodes leave under IdleOnly",
            built.withPlanner(planner -> changed(planner, ForesightTest::preferIdle))));
  }

  private static OperatorOverrides settings(UnaryOperator<PlanSettings> change) {
    return OperatorOverrides.AS_BUILT.withSettings(change);
  }

  private static PoolPlanning changed(PoolPlanning planner, UnaryOperator<PoolSpec> change) {
    return (seen, now) -> {
      Pool pool = seen.pool();
      return planner.plan(Fixtures.withPool(seen, pool.withSpec(change.apply(pool.spec()))), now);
    };
  }

  private static PoolSpec more(PoolSpec spec) {
    OptionalInt nodes = spec.size().targetNodes();
    return nodes.isEmpty() ? spec : AskedChange.sized(spec, nodes.getAsInt() + 1);
  }

  private static PoolSpec preferIdle(PoolSpec spec) {
    return spec.withLifecycle(
        spec.lifecycle().withScaleDownStrategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE));
  }

  @ParameterizedTest
  @MethodSource("mutations")
  void anOperatorThatDecidesOtherwiseIsNotForecast(String what, OperatorOverrides overrides) {
    assertThat(LongStream.range(FIRST, FIRST + MUTATED).anyMatch(seed -> isFound(seed, overrides)))
        .as(what)
        .isTrue();
  }

  /** Whether something else happens than is said, or at another time. */
  private static boolean isFound(long seed, OperatorOverrides overrides) {
    Judged otherwise = judge(seed, overrides);
    return !otherwise.text().isEmpty()
        || (otherwise.within() < otherwise.instants() && isInTime(seed));
  }

  private static boolean isInTime(long seed) {
    Judged built = judge(seed, OperatorOverrides.AS_BUILT);
    return built.within() == built.instants();
  }

  private static Judged judge(long seed, OperatorOverrides overrides) {
    Story story = new Story(seed, 0, overrides);
    Instant asked = story.world.instant();
    ListedObjects listed = story.listed();
    Forecast forecast =
        Forecast.of(listed.observations(), listed.budgets(), asked, story.question, HORIZON);
    Story.Outcome outcome = story.outcome(HORIZON);
    SortedMap<String, String> said =
        facts(forecast.happenings().stream().map(Fact::of), forecast.pools());
    SortedMap<String, String> happened =
        facts(outcome.happenings().stream().map(Fact::of), outcome.pools());
    Set<String> differ = differences(said, happened);
    int facts = union(said, happened).size();
    // What the forecast itself calls open, and what another order of steps, or a machine that takes
    // longer, decides otherwise.
    Set<String> open =
        forecast.happenings().stream()
            .filter(each -> !each.always())
            .map(each -> Fact.of(each).key())
            .collect(Collectors.toCollection(TreeSet::new));
    forecast.pools().stream()
        .filter(each -> !each.always())
        .forEach(each -> open.add("pool " + each.pool()));
    Set<String> left = new TreeSet<>(differ);
    left.removeAll(open);
    for (int fork = 1; fork <= FORKS && !left.isEmpty(); fork++) {
      Story.Outcome other = new Story(seed, fork, overrides).outcome(HORIZON);
      left.removeAll(
          differences(happened, facts(other.happenings().stream().map(Fact::of), other.pools())));
    }
    String text =
        left.isEmpty()
            ? ""
            : "seed %d, %s%n  differ in %s%n said      %s%n happened  %s"
                .formatted(seed, story.question, left, said, happened);
    return timed(seed, forecast, outcome, asked).with(facts, open.size(), differ.size(), text);
  }

  private static Set<String> union(Map<String, String> one, Map<String, String> other) {
    Set<String> keys = new TreeSet<>(one.keySet());
    keys.addAll(other.keySet());
    return keys;
  }

  private static Set<String> differences(Map<String, String> one, Map<String, String> other) {
    return union(one, other).stream()
        .filter(key -> !one.getOrDefault(key, "").equals(other.getOrDefault(key, "")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Something that happened, without its instant. */
  private record Fact(Happening.What what, String name) {
    static Fact of(Happening each) {
      return new Fact(each.what(), each.name());
    }

    static Fact of(Forecast.Expected each) {
      return new Fact(each.what(), each.name());
    }

    /** Names of new Nodes, and which of equal machines a pool gets, are not forecast. */
    String key() {
      return switch (what) {
        case ASSIGNED, CANCELLED, JOINED -> what.word();
        case AT_TARGET,
            CORDONED,
            UNCORDONED,
            WORK_ENDS,
            NOT_READY,
            READY,
            BOOTS,
            BOOTED,
            STOPPED,
            REMOVED,
            SET_ASIDE ->
            what.word() + " " + name;
      };
    }
  }

  private static SortedMap<String, String> facts(
      Stream<Fact> happened, List<Forecast.PoolAtEnd> pools) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    happened
        // How often a pool passes its target on its way is not its decision.
        .filter(each -> each.what() != Happening.What.AT_TARGET)
        .forEach(each -> counts.merge(each.key(), 1, Integer::sum));
    SortedMap<String, String> facts = new TreeMap<>();
    counts.forEach((key, count) -> facts.put(key, String.valueOf(count)));
    pools.forEach(each ->
        facts.put(
            "pool " + each.pool(),
            "%d (%d not Ready) of %d %s"
                .formatted(
                    each.nodes(),
                    each.notReady(),
                    each.target(),
                    each.lacks().stream()
                        .map(lack -> lack.substring(0, lack.indexOf(":")))
                        .toList())));
    return facts;
  }

  private static Judged timed(long seed, Forecast forecast, Story.Outcome outcome, Instant asked) {
    Map<String, Instant> happened = new HashMap<>();
    Map<String, Integer> times = new HashMap<>();
    for (Happening each : outcome.happenings()) {
      String key = each.what() + " " + each.name();
      happened.put(key + " " + times.merge(key, 1, Integer::sum), each.at());
    }
    times.clear();
    int instants = 0;
    int within = 0;
    List<Double> ranges = new ArrayList<>();
    for (Forecast.Expected each : forecast.happenings()) {
      String key = each.what() + " " + each.name();
      Instant at = happened.get(key + " " + times.merge(key, 1, Integer::sum));
      if (at == null || !each.always()) {
        continue;
      }
      instants++;
      if (!at.isBefore(each.earliest()) && !at.isAfter(each.latest())) {
        within++;
      } else if (Boolean.getBoolean("forecast.trace")) {
        System.out.println("seed " + seed + ": " + each + " was " + at + ", asked " + asked);
      }
      double duration = Duration.between(asked, at).toMillis();
      ranges.add(
          Duration.between(each.earliest(), each.latest()).toMillis() / Math.max(1, duration));
    }
    return new Judged(0, 0, 0, "", instants, within, ranges);
  }
}
