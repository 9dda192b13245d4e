package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.liars.LiarScenarios;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the oracles with faults that are put into the operator on purpose: the general oracles must
 * find each of them, and must pass the same run without the fault.
 */
@Tag("world")
class MutationTest {
  /** The numbers of seeds for the scenarios that are run first, and for all others. */
  private static final int SEEDS_FIRST = 150;

  private static final int SEEDS = 10;

  /** Seeds with which faults were found late, by the fault's number: they are played first. */
  private static final Map<Integer, Integer> FOUND_WITH =
      Map.ofEntries(
          Map.entry(1, 11),
          Map.entry(2, 9),
          Map.entry(10, 3),
          Map.entry(12, 19),
          Map.entry(13, 11),
          Map.entry(14, 29),
          Map.entry(15, 5),
          Map.entry(16, 89),
          Map.entry(17, 35),
          Map.entry(23, 50));

  /** A run that takes so many times the steps of an undisturbed one does not come to rest. */
  private static final int LONGER = 8;

  private static final long FEWEST_STEPS = 10_000;

  /** Answers are lost, and their requests may take effect late. Watches are in time. */
  private static final Faults LATE = new Faults(OptionalInt.empty(), false, 8, 90, 4, 0, 2);

  /** A line of the list in mutations.md: the number and the fault. */
  private static final Pattern LISTED = Pattern.compile("\\| (\\d+) \\| ([^|]+) \\|.*");

  /** One run of a scenario. */
  record Run(Scenario scenario, int seed) {}

  /** Undisturbed runs of the unchanged operator, each run once. */
  private static final Map<String, Scenario.Undisturbed> UNDISTURBED = new ConcurrentHashMap<>();

  static Stream<Mutation> mutations() {
    return Stream.of(
            FactMutations.all(),
            RequestMutations.all(),
            RemovalMutations.all(),
            ChoiceMutations.all(),
            ReportMutations.all(),
            PreemptionMutations.all(),
            RebootMutations.all(),
            RolloutMutations.all(),
            LivenessMutations.all(),
            TruthMutations.all(),
            HealthMutations.all(),
            RepairMutations.all(),
            BrakeMutations.all(),
            PowerMutations.all())
        .flatMap(mutations -> mutations)
        .sorted(Comparator.comparingInt(Mutation::number));
  }

  @ParameterizedTest
  @MethodSource("mutations")
  void theOraclesFindTheFault(Mutation mutation) {
    Optional<Verdict> found =
        Stream.concat(
                mutation.first().stream().flatMap(name -> ofLiars(name, mutation)),
                runs(mutation).flatMap(run -> verdict(run, mutation)))
            .findFirst();
    assertThat(found).describedAs("findings of the oracles for: %s", mutation).isPresent();
    System.out.printf(
        "%s | found by %s | %s%n",
        mutation, found.get().oracle().word, found.get().text().lines().findFirst().orElse(""));
  }

  @Test
  void theDocumentedListIsPlayed() throws IOException {
    List<String> listed =
        Files.readAllLines(Path.of("src/test/resources/mutations.md")).stream()
            .map(LISTED::matcher)
            .filter(Matcher::matches)
            .map(line -> line.group(1) + ". " + line.group(2))
            .toList();
    assertThat(mutations().map(Mutation::toString)).containsExactlyElementsOf(listed);
  }

  private static Stream<Run> runs(Mutation mutation) {
    List<Scenario> all = Scenario.all().toList();
    Stream<Run> first =
        IntStream.concat(
                Optional.ofNullable(FOUND_WITH.get(mutation.number())).stream()
                    .mapToInt(seed -> seed),
                IntStream.rangeClosed(1, SEEDS_FIRST))
            .boxed()
            .flatMap(seed ->
                all.stream()
                    .filter(scenario -> mutation.first().contains(scenario.name()))
                    .map(scenario -> new Run(scenario, seed)));
    Stream<Run> others =
        IntStream.rangeClosed(1, SEEDS)
            .boxed()
            .flatMap(seed -> all.stream().map(scenario -> new Run(scenario, seed)));
    return Stream.concat(first, others);
  }

  /** What the oracles of the liars find in their run of this name. */
  private static Stream<Verdict> ofLiars(String name, Mutation mutation) {
    return LiarScenarios.violation(name, mutation.overrides())
        .filter(_ -> LiarScenarios.violation(name, OperatorOverrides.AS_BUILT).isEmpty())
        .map(text -> new Verdict(Oracle.LIARS, name + ": " + text))
        .stream();
  }

  private static Stream<Verdict> verdict(Run run, Mutation mutation) {
    Scenario scenario = run.scenario();
    Scenario.Undisturbed undisturbed =
        UNDISTURBED.computeIfAbsent(scenario.name(), name -> scenario.undisturbed());
    Faults faults = faults(run, undisturbed.writes());
    return verdict(run, faults, mutation.overrides(), undisturbed)
        .filter(found -> found.oracle() != Oracle.PLAY)
        .filter(found -> verdict(run, faults, OperatorOverrides.AS_BUILT, undisturbed).isEmpty())
        .stream();
  }

  private static Optional<Verdict> verdict(
      Run run, Faults faults, OperatorOverrides overrides, Scenario.Undisturbed undisturbed) {
    return run.scenario()
        .verdict(
            run.seed(),
            faults,
            overrides,
            undisturbed.outcome(),
            new Census(),
            Math.max(FEWEST_STEPS, LONGER * undisturbed.steps()));
  }

  /**
   * Late writes change the numbers of writes: they are used where only the end is compared, and
   * there in most runs.
   */
  static Faults faults(Run run, int writes) {
    SplittableRandom random = new SplittableRandom(run.seed());
    boolean end = run.scenario().agreement() == Agreement.END;
    Faults faults =
        switch (run.seed() % 4) {
          case 0 -> Faults.NONE;
          case 1 -> end ? LATE : Faults.NONE;
          case 2 -> end ? Faults.LATE : Faults.ROUGH;
          default -> end ? LATE : Faults.ROUGH;
        };
    return run.seed() % 2 == 1
        ? faults
        : faults.crashAt(1 + random.nextInt(writes), random.nextBoolean());
  }
}
