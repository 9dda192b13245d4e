package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests lost answers, refused requests, watches that lag and break, and in half of the runs a crash
 * of the operator: every run ends as the undisturbed one. In the runs without a crash, which
 * forgets them, the waits between attempts grow even if answers are lost repeatedly. {@code
 * -Dworld.seeds=N} sets the number of seeds.
 */
@Tag("world")
class RoughTest {
  private static final long SEEDS = Long.getLong("world.seeds", 2);

  private static final Census CENSUS = new Census();

  static Stream<Scenario> scenarios() {
    return Scenario.all();
  }

  @AfterAll
  static void theSituationsOccurred() {
    CENSUS.report(
        "RoughTest",
        EnumSet.of(
            Situation.ANSWER_LOST,
            Situation.ANSWER_LOST_ON_STOP,
            Situation.REFUSED,
            Situation.STARTED_WHILE_ADMITTED,
            Situation.STARTED_WHILE_DRAINING,
            Situation.BUDGET_BLOCKED,
            Situation.FORCED_DRAIN,
            Situation.NOT_READY_IN_REMOVAL,
            Situation.VOLUME_ATTACHED_IN_REMOVAL,
            Situation.HANDOVER_WITH_REQUESTS,
            Situation.GATE_CLOSED,
            Situation.OUTAGE,
            Situation.ORPHANED,
            Situation.PREEMPTED,
            Situation.PREEMPTED_WHILE_ADMITTED,
            Situation.PREEMPTED_WHILE_DRAINING,
            Situation.PREEMPTED_WHILE_BOOTING,
            Situation.NOTICE_WITHDRAWN_WHILE_ADMITTED,
            Situation.NOTICE_WITHDRAWN_WHILE_DRAINING,
            Situation.ANSWER_LOST_ON_BOOT,
            Situation.STARTED_WHILE_REBOOTING,
            Situation.PREEMPTED_WHILE_REBOOTING,
            Situation.REBOOTED,
            Situation.REBOOT_RETRIED,
            Situation.REBOOT_GIVEN_UP,
            Situation.REBOOT_WITHDRAWN,
            Situation.LEFT_INSTEAD_OF_REBOOT,
            Situation.CUT_OFF));
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
                (crashes(seed) ? scenario : withGrowingWaits(scenario))
                        .failure(
                            seed,
                            faults(seed, undisturbed.writes()),
                            OperatorOverrides.AS_BUILT,
                            undisturbed.outcome(),
                            CENSUS)
                        .stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }

  private static Scenario withGrowingWaits(Scenario scenario) {
    return new Scenario(
        scenario.name(),
        scenario.dataCentre(),
        scenario.agreement(),
        drill -> {
          scenario.play().accept(drill);
          AtRest.repeats(drill.toRest())
              .ifPresent(repeat -> {
                throw new IllegalStateException(repeat);
              });
        });
  }

  private static boolean crashes(long seed) {
    return seed % 2 != 0;
  }

  private static Faults faults(long seed, int writes) {
    SplittableRandom random = new SplittableRandom(seed);
    return crashes(seed)
        ? Faults.ROUGH.crashAt(1 + random.nextInt(writes), random.nextBoolean())
        : Faults.ROUGH;
  }
}
