package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the operator does not get through yet. Each of these fails until its fault is mended; then
 * its name goes from {@link #NAMES}, and {@link TroubleTest} plays it from there on.
 */
@Tag("ahead")
class AheadTest {
  static final Set<String> NAMES =
      Set.of(
          "another machine under the name",
          "bound by name",
          "deletes: ERROR",
          "deletes: TIME_OUT",
          "drains: ERROR",
          "drains: TIME_OUT",
          "failed while booting, for good",
          "marks: ERROR",
          "marks: TIME_OUT",
          "operations on Hosts: ERROR",
          "operations on Hosts: TIME_OUT",
          "power trip for good",
          "power trip in a drain",
          "undone: STRIP_CONDITIONS after PT0S",
          "undone: STRIP_CONDITIONS after PT8S",
          "undone: STRIP_METADATA after PT0S",
          "undone: UNCORDON after PT0S",
          "undone: UNCORDON after PT8S",
          "unreadable HOSTS in a removal");

  static Stream<Scenario> scenarios() {
    return TroubleScenarios.all().filter(scenario -> NAMES.contains(scenario.name()));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunEndsAsTheUndisturbedOne(Scenario scenario) {
    assertThat(TroubleTest.failures(scenario, new Census())).isEmpty();
  }

  /** A machine whose Node the watch has not brought yet is stopped although Pods run on it. */
  @ParameterizedTest
  @MethodSource("lateSchedulers")
  void podsAreSafeOnNodesThatWereNotSeenYet(Scenario scenario) {
    Scenario.Undisturbed undisturbed = scenario.undisturbed();
    List<String> failures =
        LongStream.rangeClosed(1, 150)
            .parallel()
            .boxed()
            .flatMap(seed ->
                scenario
                    .failure(seed, Faults.ROUGH, Parts.AS_BUILT, undisturbed.outcome())
                    .stream())
            .limit(3)
            .toList();
    assertThat(failures).isEmpty();
  }

  static Stream<Scenario> lateSchedulers() {
    return Scenario.all().filter(scenario -> scenario.name().startsWith("late scheduler"));
  }

  /** Where answers get lost again and again, the waits between the tries grow all the same. */
  @ParameterizedTest
  @MethodSource("io.nodepool.world.Scenario#all")
  void lostAnswersAreNoReasonForHaste(Scenario scenario) {
    List<String> repeats =
        LongStream.rangeClosed(1, 12)
            .parallel()
            .boxed()
            .flatMap(seed -> {
              Drill drill = Drill.with(seed, scenario.dataCentre(), Faults.ROUGH, Parts.AS_BUILT);
              scenario.play().accept(drill);
              return AtRest.repeats(drill.settle()).stream();
            })
            .limit(3)
            .toList();
    assertThat(repeats).isEmpty();
  }
}
