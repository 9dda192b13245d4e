package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.world.cluster.WorldPods;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that setting the wall clock of the operator's machine has no effect. */
@Tag("world")
class ClockTest {
  private static final long SEED = 1;
  private static final int POINTS = 16;
  private static final int SEEDS = 20;
  private static final Census CENSUS = new Census();

  /** The largest deviation of the operator's clock from real time, in percent. */
  private static final int PER_CENT = 1;

  /** Names of the scenarios besides growth and removal. */
  private static final Set<String> DISRUPTIONS = Set.of("reboot", "rollout with a canary");

  /** The outcome of a run, and when its last write took effect. */
  private static final class Run {
    private final SortedMap<String, String> outcome;
    private Instant lastWrite = World.START;

    /**
     * Runs a scenario to its end.
     *
     * @param besides what else happens to the world
     */
    Run(Scenario scenario, long seed, Faults faults, Consumer<World> besides) {
      Drill drill = Drill.with(seed, scenario.dataCentre(), faults, OperatorOverrides.AS_BUILT);
      drill.world.trace(line -> {
        if (line.contains(" -> ")) {
          lastWrite = drill.world.instant();
        }
      });
      besides.accept(drill.world);
      scenario.play().accept(drill);
      outcome = Outcome.of(drill.toRest(), scenario.agreement());
      CENSUS.add(drill.world.situations());
    }
  }

  @AfterAll
  static void theSituationsOccurred() {
    CENSUS.report(
        "ClockTest",
        EnumSet.of(
            Situation.CLOCK_SET,
            Situation.ANSWER_LOST,
            Situation.BUDGET_BLOCKED,
            Situation.FORCED_DRAIN));
  }

  private static Run calm(Scenario scenario, Consumer<World> besides) {
    return new Run(scenario, SEED, Faults.NONE, besides);
  }

  static Stream<Scenario> scenarios() {
    return Stream.concat(
        Stream.of(Scenario.growth(), Scenario.shrink(), Scenario.drain()),
        Scenario.all().filter(scenario -> DISRUPTIONS.contains(scenario.name())));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void aWallClockThatIsSetChangesNeitherTheEndNorItsTime(Scenario scenario) {
    Run calm = calm(scenario, world -> {});
    Duration whole = Duration.between(World.START, calm.lastWrite);
    Duration tolerance = whole.multipliedBy(PER_CENT).dividedBy(100).plusSeconds(30);

    for (Duration step : new Duration[] {Duration.ofHours(1), Duration.ofHours(-1)}) {
      for (int point = 0; point < POINTS; point++) {
        Duration at = whole.multipliedBy(point).dividedBy(POINTS);
        Run run = calm(scenario, world -> world.later(at, () -> world.wallClock().step(step)));
        assertThat(run.outcome).as("%s after %s", step, at).isEqualTo(calm.outcome);
        assertThat(Duration.between(calm.lastWrite, run.lastWrite).abs())
            .as("%s after %s: deviation of the time of the last write", step, at)
            .isLessThan(tolerance);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void aWallClockThatIsWrongFromTheStartChangesNeitherTheEndNorItsTime(Scenario scenario) {
    Run calm = calm(scenario, world -> {});

    for (Duration wrong : new Duration[] {Duration.ofHours(1), Duration.ofHours(-1)}) {
      Run run = calm(scenario, world -> beginWrong(world, wrong));
      assertThat(run.outcome).as("wrong by %s", wrong).isEqualTo(calm.outcome);
      assertThat(Duration.between(calm.lastWrite, run.lastWrite).abs())
          .as("wrong by %s: deviation of the time of the last write", wrong)
          .isLessThan(Duration.ofSeconds(30));
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void aWallClockThatIsSetAgainAndAgainOnARoughNetworkDoesNotChangeTheEnd(Scenario scenario) {
    Run calm = calm(scenario, world -> {});
    for (long seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Run run = new Run(scenario, seed, Faults.ROUGH, world -> setAgainAndAgain(world, random));
      assertThat(withoutAdmissions(run.outcome))
          .as("seed %d", seed)
          .isEqualTo(withoutAdmissions(calm.outcome));
    }
  }

  /**
   * An Event precedes its write: on an unreliable network an admission may be announced and
   * refused, and another Node be admitted instead.
   */
  private static SortedMap<String, String> withoutAdmissions(SortedMap<String, String> outcome) {
    SortedMap<String, String> rest = new TreeMap<>(outcome);
    rest.remove("emitted: CWNodeCordoned of NODE");
    rest.remove("emitted: CWNodeMarkedPrepareForTerminate of NODE");
    return rest;
  }

  private static void setAgainAndAgain(World world, SplittableRandom random) {
    for (int step = 0; step < 10; step++) {
      Duration by = Duration.ofSeconds(random.nextInt(-3600, 3601));
      world.later(Duration.ofSeconds(random.nextInt(4 * 3600)), () -> world.wallClock().step(by));
    }
  }

  private static void beginWrong(World world, Duration wrong) {
    world.wallClock().step(wrong);
    world.operators().kill();
    world.operators().start();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aPodThatIsDeletedByForceKeepsItsGraceHoweverWrongTheWallClockIs(int hours) {
    Drill drill = Drill.calm(SEED);
    TreeSet<Duration> deletedAndStopped = new TreeSet<>();
    drill.world.trace(line -> {
      if (line.contains(" DeletePod") || line.contains("=Stop[")) {
        deletedAndStopped.add(Duration.between(World.START, drill.world.instant()));
      }
    });
    beginWrong(drill.world, Duration.ofHours(hours));
    drill.pool("a").target(1).pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE).toRest();
    WorldPods pods = drill.world.cluster().workloads();
    String node = drill.pool("a").nodes().getFirst().name();
    Pod pod = drill.world.cluster().bindPod("default", "work", node, "ReplicaSet");
    pods.guard(pod.uid());
    pods.keep(pod.uid());
    drill.pool("a").target(0).toRest();

    assertThat(deletedAndStopped).hasSize(2);
    assertThat(deletedAndStopped.last().minus(deletedAndStopped.first()))
        .isBetween(WorldPods.GRACE, WorldPods.GRACE.plusSeconds(5));
  }
}
