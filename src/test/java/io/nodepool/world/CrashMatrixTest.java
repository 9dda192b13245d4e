package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests a crash of the operator before and after each of its writes, in many interleavings: every
 * run must end as the undisturbed one, with the same numbers of creates and deletes and the same
 * Events. {@code -Dworld.interleavings=N} sets the number of interleavings. With fewer than {@value
 * #BOTH_SIDES} the scenarios that are no plain lifecycle have one crash at the last write of each
 * {@linkplain WriteKinds kind}, before or after it; the kinds of a growth are those of that
 * scenario.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("world")
class CrashMatrixTest {
  private static final int INTERLEAVINGS = Integer.getInteger("world.interleavings", 1);

  private static final int BOTH_SIDES = 20;

  /**
   * Interleavings of the scenarios besides growth, cancellation and deletion, which share most of
   * their writes with these.
   */
  private static final int BESIDE = Math.max(1, INTERLEAVINGS / 20);

  /**
   * The number of last writes of which each is tried, and of the others one in OF_THE_OTHERS, with
   * many interleavings.
   */
  private static final int AT_THE_END = 60;

  private static final int OF_THE_OTHERS = 10;

  private static final Set<String> OF_GROWTH = WriteKinds.of(Scenario.growth(), 1).keySet();

  private static final Census CENSUS = new Census();

  static Stream<Scenario> scenarios() {
    return Stream.concat(Scenario.all(), RebootPairScenarios.all());
  }

  @AfterAll
  static void theSituationsOccurred() {
    CENSUS.report(
        "CrashMatrixTest",
        EnumSet.of(
            Situation.LATE_EFFECT,
            Situation.STARTED_WHILE_ADMITTED,
            Situation.STARTED_WHILE_DRAINING,
            Situation.BOUND_WHILE_ADMITTED,
            Situation.TAKEN_BACK,
            Situation.BUDGET_BLOCKED,
            Situation.FORCED_DRAIN,
            Situation.NOT_READY_IN_REMOVAL,
            Situation.VOLUME_ATTACHED_IN_REMOVAL,
            Situation.HANDOVER_WITH_REQUESTS,
            Situation.ORPHANED,
            Situation.PREEMPTED,
            Situation.PREEMPTED_WHILE_ADMITTED,
            Situation.PREEMPTED_WHILE_DRAINING,
            Situation.PREEMPTED_WHILE_BOOTING,
            Situation.NOTICE_WITHDRAWN_WHILE_ADMITTED,
            Situation.NOTICE_WITHDRAWN_WHILE_DRAINING,
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
    int writes = undisturbed.writes();
    assertThat(writes).isGreaterThan(5);

    List<String> failures =
        tried(scenario, writes).parallelStream()
            .flatMap(write ->
                Stream.of(true, false)
                    .filter(after -> isTried(scenario, write, after))
                    .map(after -> Faults.NONE.crashAt(write, after)))
            .flatMap(faults -> failures(scenario, faults, undisturbed.outcome()).stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }

  /**
   * The writes at which a crash is tested. A scenario begins with a growth and may have a long
   * middle part in which evictions are retried.
   */
  private static Set<Integer> tried(Scenario scenario, int writes) {
    if (scenario.isPlainLifecycle()) {
      return IntStream.rangeClosed(1, writes).boxed().collect(Collectors.toSet());
    }
    Set<Integer> tried = new TreeSet<>(WriteKinds.lastOfEach(scenario, 1, OF_GROWTH));
    if (INTERLEAVINGS >= BOTH_SIDES) {
      IntStream.rangeClosed(1, writes)
          .filter(write -> write > writes - AT_THE_END || write % OF_THE_OTHERS == 0)
          .forEach(tried::add);
    }
    return tried;
  }

  private static boolean isTried(Scenario scenario, int write, boolean after) {
    return scenario.isPlainLifecycle()
        || INTERLEAVINGS >= BOTH_SIDES
        || (write + scenario.name().length()) % 2 == (after ? 0 : 1);
  }

  private static List<String> failures(
      Scenario scenario, Faults faults, SortedMap<String, String> expected) {
    return LongStream.rangeClosed(1, scenario.isPlainLifecycle() ? INTERLEAVINGS : BESIDE)
        .boxed()
        .flatMap(seed ->
            scenario.failure(seed, faults, OperatorOverrides.AS_BUILT, expected, CENSUS).stream())
        .limit(1)
        .toList();
  }
}
