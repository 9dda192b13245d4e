package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests two versions of the operator in turn: at every stage of a reboot or rollout an earlier
 * version takes over, which drops the fields that it does not know, and later this one again.
 * Nothing is harmed and no machine is booted more often. What the earlier one decides by itself is
 * not played: this one decides for it.
 */
@Tag("world")
class VersionsInTurnTest {
  /** Every how many writes the version changes. */
  private static final int STEP = Integer.getInteger("world.step", 16);

  /**
   * Scenarios that end in another way if a version is away or forgets: a rollout goes on without
   * the eviction that its start asked for, a request joins a turn, a promotion comes before the
   * next release, a Host stays set aside whose failures do not name a configuration any more. What
   * is promised holds in them too.
   */
  private static final Set<String> OTHER_ENDS =
      Set.of(
          "rollout that evicts",
          "reboot during a rollout",
          "stop that overtakes a promotion",
          "configuration in which machines fail");

  private static final Duration CHANGE = Duration.ofMinutes(1);
  private static final Duration EARLIER = Duration.ofMinutes(30);

  private static final Set<String> DROPPED = new ConcurrentSkipListSet<>();

  static Stream<Scenario> scenarios() {
    return Stream.of(RolloutScenarios.all(), RecordLossScenarios.all(), RebootScenarios.all())
        .flatMap(scenarios -> scenarios)
        .map(scenario -> scenario.agreeing(Agreement.END));
  }

  /** Otherwise the list of fields would be that of the present version. */
  @AfterAll
  static void everyKindOfObjectLostFields() {
    assertThat(DROPPED)
        .anyMatch(field -> field.startsWith("Host.spec"))
        .anyMatch(field -> field.startsWith("accepted-command"));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunKeepsItsPromisesAndEndsAsThatOfOneVersion(Scenario scenario) {
    Scenario.Undisturbed undisturbed = scenario.undisturbed();
    int offset = Math.floorMod(scenario.name().hashCode(), STEP);
    List<String> failures =
        IntStream.iterate(1 + offset, write -> write <= undisturbed.writes(), write -> write + STEP)
            .parallel()
            .boxed()
            .flatMap(write -> failure(scenario, write, undisturbed.outcome()).stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }

  private static Optional<String> failure(
      Scenario scenario, int write, SortedMap<String, String> expected) {
    Drill drill =
        Drill.with(write, scenario.dataCentre(), Faults.NONE, OperatorOverrides.AS_BUILT).traced();
    EarlierVersion earlier = new EarlierVersion(drill.world.cluster());
    drill.world.beforeWrite(
        write, () -> drill.world.later(Duration.ZERO, () -> inTurn(drill.world, earlier)));
    try {
      scenario.play().accept(drill);
      drill.toRest();
    } catch (IllegalStateException | IndexOutOfBoundsException | NoSuchElementException broken) {
      return Optional.of("%s, before write %d: %s".formatted(scenario, write, broken.getMessage()));
    }
    DROPPED.addAll(earlier.dropped());
    SortedMap<String, String> difference =
        Difference.of(expected, Outcome.of(drill, Agreement.END));
    return Optional.of(difference.toString())
        .filter(_ -> !difference.isEmpty() && !OTHER_ENDS.contains(scenario.name()))
        .or(() -> AtRest.complaint(drill))
        .map(complaint -> "%s, before write %d: %s".formatted(scenario, write, complaint));
  }

  private static void inTurn(World world, EarlierVersion earlier) {
    change(world, earlier);
    world.later(EARLIER, () -> change(world, earlier));
  }

  private static void change(World world, EarlierVersion earlier) {
    world.operators().kill();
    earlier.rewriteAll();
    world.later(CHANGE, world.operators()::start);
  }
}
