package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests that with IdleOnly no Pod is ever harmed that a scheduler bound within the settle time
 * after it chose the Node, whatever the target and the faults. In half of the runs some bindings
 * take longer; such a Pod keeps its Node if the live list returns it, and is evicted as its budgets
 * allow if it is bound after the list. {@code -Dworld.seeds=N} sets the number of seeds.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("world")
class IdleSafetyTest {
  private static final long SEEDS = Long.getLong("world.seeds", 250);

  /** So many failures are reported; each is played again by its line in RecordedRunsTest. */
  private static final int MOST_REPORTED = 20;

  private static final int NODES = 3;
  private static final WorldScheduler.Lateness NONE = WorldScheduler.Lateness.NONE;
  private static final WorldScheduler.Lateness LATE =
      new WorldScheduler.Lateness(50, Duration.ofSeconds(30));
  private static final DataCentre DATA_CENTRE =
      new DataCentre(
          new DataCentre.Site("US-EAST-04A", "US-EAST-04", "example-org"),
          7,
          List.of(new DataCentre.Rack("101", Drill.GPU, NODES)),
          new DataCentre.Terms(
              new TreeMap<>(),
              new TreeSet<>(),
              List.of(FleetRelease.whole("ncore-2.10.1", List.of("ncore 2.10.1"))),
              new TreeMap<>()),
          new DataCentre.Timings(
              Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(1)),
          DataCentre.Mishaps.NONE);

  /** The result of one seed: its failure, the number of removed Nodes, and its situations. */
  private record Run(Optional<String> failure, int removed, Situations situations) {}

  @Test
  void noPodIsHarmed() {
    AtomicInteger removed = new AtomicInteger();
    Census census = new Census();
    List<String> failures =
        LongStream.rangeClosed(1, SEEDS)
            .parallel()
            .mapToObj(seed -> play(seed, OperatorOverrides.AS_BUILT))
            .peek(run -> removed.addAndGet(run.removed()))
            .peek(run -> census.add(run.situations()))
            .flatMap(run -> run.failure().stream())
            .limit(MOST_REPORTED)
            .toList();

    assertThat(failures).isEmpty();
    assertThat(removed.get()).isGreaterThan((int) SEEDS);
    census.report(
        "IdleSafetyTest",
        EnumSet.of(
            Situation.BOUND_WHILE_ADMITTED,
            Situation.BOUND_WHILE_DRAINING,
            Situation.TAKEN_BACK,
            Situation.ANSWER_LOST_ON_STOP,
            Situation.LATE_EFFECT,
            Situation.STARTED_WHILE_ADMITTED,
            Situation.REBOOTED,
            Situation.REBOOT_WITHDRAWN,
            Situation.LEFT_INSTEAD_OF_REBOOT));
  }

  @Test
  void withoutTheSettleTimeAPodIsHarmed() {
    assertThat(
            found(
                OperatorOverrides.AS_BUILT.withSettings(
                    settings -> settings.withSettle(Duration.ZERO))))
        .isPresent();
  }

  @Test
  void withoutTheLiveListAPodIsHarmed() {
    assertThat(found(OperatorOverrides.AS_BUILT.withWriter(Unlisted::new))).isPresent();
  }

  private static Optional<String> found(OperatorOverrides overrides) {
    return LongStream.rangeClosed(1, 4_000)
        .mapToObj(seed -> play(seed, overrides))
        .flatMap(run -> run.failure().stream())
        .filter(failure -> failure.contains("is harmed") || failure.contains("begins under Pod"))
        .findFirst();
  }

  /** A writer that answers each live list of Pods with an empty one. */
  private record Unlisted(Writer writer) implements Writer {
    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
      UnaryOperator<Answer<Observation>> change =
          action instanceof Action.ListPods list
              ? truth ->
                  new Answer.Done<>(
                      new Observation.PodsListed(
                          list.node(), list.nodeUid(), list.nodeVersion(), List.of()))
              : truth -> truth;
      writer.submit(eventDrafts, action, truth -> answer.accept(change.apply(truth)));
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  /** Plays one seed; returns the failure. */
  static Optional<String> failure(long seed, OperatorOverrides overrides) {
    return play(seed, overrides).failure();
  }

  private static Run play(long seed, OperatorOverrides overrides) {
    SplittableRandom random = new SplittableRandom(seed * 31);
    Drill drill = Drill.with(seed, DATA_CENTRE, faults(seed, random), overrides).traced();
    String run = "%s, seed %d".formatted(PlayedRun.IDLE_SAFETY, seed);
    RolloutClient rollouts = new RolloutClient(drill, "a");
    RebootMonkey reboots = new RebootMonkey(drill, new SplittableRandom(seed * 37));
    try {
      drill.pool("a").target(NODES);
      drill.advance(30, MINUTES);
      WorldScheduler scheduler = drill.schedule(seed, seed % 2 == 0 ? LATE : NONE);
      for (int round = 0; round < 3; round++) {
        drill.pool("a").target(random.nextInt(NODES + 1));
        for (int pod = random.nextInt(4); pod > 0; pod--) {
          String name = "work-" + round + "-" + pod;
          Duration work = Duration.ofSeconds(1 + random.nextInt(120));
          drill.world.later(
              Duration.ofMillis(random.nextInt(12_000)), () -> scheduler.submit(name, work));
        }
        if (seed % 4 == 0) {
          drill.world.later(Duration.ofMillis(seed * 7 % 20_000), reboots::requestSafely);
        }
        if (seed % 4 == 1) {
          rollOut(rollouts, "ncore-3." + round, drill, Duration.ofMillis(seed * 11 % 10_000));
        }
        drill.world.advance(Duration.ofMillis(random.nextInt(30_000)));
      }
      drill.pool("a").target(1);
      drill.toRest();
    } catch (IllegalStateException broken) {
      return new Run(
          Optional.of("%s, step %d: %s".formatted(run, drill.world.steps(), broken.getMessage())),
          0,
          drill.world.situations());
    }
    int left = drill.pool("a").seen().status().currentNodes();
    return new Run(
        left == 1 ? Optional.empty() : Optional.of("%s ends with %d Nodes".formatted(run, left)),
        drill.world.cluster().appliedWrites().of("delete Node"),
        drill.world.situations());
  }

  /** A release, which a user promotes and rolls out. */
  private static void rollOut(RolloutClient rollouts, String release, Drill drill, Duration after) {
    rollouts.most(2);
    rollouts.release(release);
    drill.world.later(after, rollouts::promote);
    drill.world.later(after.plusSeconds(2), rollouts::start);
  }

  private static Faults faults(long seed, SplittableRandom random) {
    return switch ((int) (seed % 3)) {
      case 0 -> Faults.NONE;
      case 1 -> Faults.ROUGH;
      default -> Faults.LATE.crashAt(10 + random.nextInt(40), random.nextBoolean());
    };
  }
}
