package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every reboot that clients can request, alone and beside every other cause, in both orders and at
 * every stage, on an idle and on a busy Node of pools of both strategies, played through the real
 * planners and compared with the literal tables.
 */
@Tag("slow")
class RebootPairsTest {
  private static final List<String> OTHERS =
      List.of("scale-down", "pool deletion", "client's request", "preemption");

  /** All stages of a cause to leave. */
  private static final List<String> STAGES_OF_LEAVING =
      List.of(RebootPairs.REQUESTED, RebootPairs.ADMITTED, RebootPairs.COMMITTED);

  static List<RebootPairs.Row<RebootPairs.Outcome>> meetings() {
    return RebootPairs.MEETINGS;
  }

  static List<RebootPairs.Row<RebootPairs.Withdrawal>> withdrawals() {
    return RebootPairs.WITHDRAWALS;
  }

  static List<RebootPairs.Row<RebootPairs.Uncordoning>> uncordonings() {
    return RebootPairs.UNCORDONINGS;
  }

  static List<RebootPairs.Row<RebootPairs.Absence>> absences() {
    return RebootPairs.ABSENCES;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("meetings")
  void twoCausesThatMeetEndAsTheTableSays(RebootPairs.Row<RebootPairs.Outcome> row) {
    assertThat(row.cells())
        .allSatisfy(cell ->
            assertThat(RebootPlay.met(cell).outcome(cell.first(), cell.second()))
                .isEqualTo(row.outcome()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("withdrawals")
  void causesThatAreWithdrawnLeaveWhatTheTableSays(RebootPairs.Row<RebootPairs.Withdrawal> row) {
    assertThat(row.cells())
        .allSatisfy(cell -> {
          RebootPlay play = RebootPlay.met(cell);
          play.toRest();
          String record = play.record(cell.first(), cell.second());
          DisruptionPairs.Step first = withdraw(play, cell, row.outcome().first().withdrawn());
          DisruptionPairs.Step second = withdraw(play, cell, row.outcome().second().withdrawn());
          assertThat(new RebootPairs.Withdrawal(record, first, second)).isEqualTo(row.outcome());
        });
  }

  private static DisruptionPairs.Step withdraw(
      RebootPlay play, RebootPairs.Cell cell, String which) {
    if (which.isEmpty()) {
      return new DisruptionPairs.Step("", "");
    }
    play.isWithdrawn(which.equals("first") ? cell.first() : cell.second());
    return new DisruptionPairs.Step(which, play.record(cell.first(), cell.second()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("uncordonings")
  void aNodeThatAPersonUncordonsHasTheRecordOfTheTable(
      RebootPairs.Row<RebootPairs.Uncordoning> row) {
    assertThat(row.cells())
        .allSatisfy(cell -> {
          RebootPlay play = RebootPlay.met(cell);
          play.toRest();
          String record = play.record(cell.first(), cell.second());
          play.isUncordoned();
          assertThat(new RebootPairs.Uncordoning(record, play.record(cell.first(), cell.second())))
              .isEqualTo(row.outcome());
        });
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("absences")
  void anOperatorThatWasAwayEndsAsTheTableSays(RebootPairs.Row<RebootPairs.Absence> row) {
    assertThat(row.cells())
        .allSatisfy(cell ->
            assertThat(row.outcome().away().split(", ", -1))
                .allSatisfy(away -> {
                  RebootPlay play = RebootPlay.met(cell);
                  play.isAway(Duration.ofMinutes(Long.parseLong(away.replace(":00", ""))));
                  assertThat(play.outcome(cell.first(), cell.second()))
                      .isEqualTo(row.outcome().outcome());
                }));
  }

  @Test
  void theTableHasEveryCellThatCanComeAboutOnce() {
    List<RebootPairs.Cell> cells =
        all()
            .flatMap(first ->
                all()
                    .filter(second -> isRequest(first) || isRequest(second))
                    .flatMap(second -> stagesOf(first).map(stage -> List.of(first, second, stage))))
            .flatMap(RebootPairsTest::onEveryNode)
            .filter(cell -> new RebootPlay(cell).reaches(cell.first(), cell.stage()))
            .toList();
    List<RebootPairs.Cell> listed =
        RebootPairs.MEETINGS.stream().flatMap(RebootPairs.Row::cells).toList();
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(Set.copyOf(listed)).isEqualTo(Set.copyOf(cells));
  }

  private static Stream<String> all() {
    return Stream.concat(RebootPairs.REQUESTS.stream(), OTHERS.stream());
  }

  private static boolean isRequest(String cause) {
    return RebootPairs.REQUESTS.contains(cause);
  }

  private static Stream<String> stagesOf(String cause) {
    if (isRequest(cause)) {
      return RebootPairs.STAGES.stream();
    }
    return cause.equals("client's request")
        ? Stream.of(RebootPairs.REQUESTED)
        : STAGES_OF_LEAVING.stream();
  }

  private static Stream<RebootPairs.Cell> onEveryNode(List<String> at) {
    List<RebootPairs.Cell> cells = new ArrayList<>();
    for (boolean busy : List.of(true, false)) {
      for (boolean idleOnly : List.of(true, false)) {
        for (boolean poolFirst : List.of(true, false)) {
          cells.add(
              new RebootPairs.Cell(at.get(0), at.get(1), at.get(2), busy, idleOnly, poolFirst));
        }
      }
    }
    return cells.stream();
  }
}
