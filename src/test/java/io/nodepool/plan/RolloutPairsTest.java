package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A rollout, alone and beside every other cause, in both orders and at every stage, on an idle and
 * on a busy Node of pools of both strategies, played through the real planners and compared with
 * the literal tables.
 */
@Tag("slow")
class RolloutPairsTest {
  private static final List<String> OTHERS =
      List.of("scale-down", "pool deletion", "client's request", "preemption");

  static List<RebootPairs.Row<RebootPairs.Outcome>> meetings() {
    return RolloutPairs.MEETINGS;
  }

  static List<RebootPairs.Row<RebootPairs.Uncordoning>> stops() {
    return RolloutPairs.STOPS;
  }

  static List<RebootPairs.Row<RebootPairs.Uncordoning>> uncordonings() {
    return RolloutPairs.UNCORDONINGS;
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
  @MethodSource("stops")
  void aRolloutThatIsStoppedLeavesWhatTheTableSays(RebootPairs.Row<RebootPairs.Uncordoning> row) {
    assertThat(row.cells())
        .allSatisfy(cell -> {
          RebootPlay play = RebootPlay.met(cell);
          play.toRest();
          String record = play.record(cell.first(), cell.second());
          play.isWithdrawn(cell.first());
          assertThat(new RebootPairs.Uncordoning(record, play.record(cell.first(), cell.second())))
              .isEqualTo(row.outcome());
        });
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

  @Test
  void theTableHasEveryCellThatCanComeAboutOnce() {
    List<RebootPairs.Cell> cells =
        Stream.concat(
                RolloutPairs.ROLLOUTS.stream()
                    .flatMap(rollout ->
                        Stream.concat(Stream.of(RebootPairs.NONE), others())
                            .flatMap(second ->
                                RebootPairs.STAGES.stream()
                                    .map(stage -> List.of(rollout, second, stage)))),
                others()
                    .flatMap(first ->
                        RolloutPairs.ROLLOUTS.stream()
                            .flatMap(rollout ->
                                stagesOf(first).map(stage -> List.of(first, rollout, stage)))))
            .flatMap(RolloutPairsTest::onEveryNode)
            .filter(cell -> new RebootPlay(cell).reaches(cell.first(), cell.stage()))
            .toList();
    List<RebootPairs.Cell> listed =
        RolloutPairs.MEETINGS.stream().flatMap(RebootPairs.Row::cells).toList();
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(Set.copyOf(listed)).isEqualTo(Set.copyOf(cells));
  }

  private static Stream<String> others() {
    return Stream.concat(RebootPairs.REQUESTS.stream(), OTHERS.stream());
  }

  private static Stream<String> stagesOf(String cause) {
    if (RebootPairs.REQUESTS.contains(cause)) {
      return RebootPairs.STAGES.stream();
    }
    return cause.equals("client's request")
        ? Stream.of(RebootPairs.REQUESTED)
        : Stream.of(RebootPairs.REQUESTED, RebootPairs.ADMITTED, RebootPairs.COMMITTED);
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
