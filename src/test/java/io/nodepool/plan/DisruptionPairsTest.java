package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every pair of causes that may disrupt one Node, in both orders and at every stage, played through
 * the real planners and compared with the literal table.
 */
@Tag("slow")
class DisruptionPairsTest {
  static List<DisruptionPairs.Meeting> meetings() {
    return DisruptionPairs.MEETINGS;
  }

  static List<DisruptionPairs.Withdrawal> withdrawals() {
    return DisruptionPairs.WITHDRAWALS;
  }

  static List<DisruptionPairs.Uncordoning> uncordonings() {
    return DisruptionPairs.UNCORDONINGS;
  }

  /** Whether the pool's plan is carried out first, for each order that a cell is about. */
  private static List<Boolean> orders(DisruptionPairs.At at) {
    return switch (at.planned()) {
      case "pool" -> List.of(true);
      case "machine" -> List.of(false);
      case DisruptionPairs.EITHER -> List.of(true, false);
      default -> throw new IllegalArgumentException(at.planned());
    };
  }

  /** A Node on which the second cause comes about at a stage of the first. */
  private static DisruptionPlay met(DisruptionPairs.At at, boolean poolFirst) {
    DisruptionPlay play = new DisruptionPlay(poolFirst);
    play.arrives(at.first());
    assertThat(play.until(reached(at.stage()))).as("reaches the stage").isTrue();
    if (!at.second().isEmpty()) {
      play.arrives(at.second());
    }
    return play;
  }

  private static Predicate<DisruptionPlay> reached(String stage) {
    return switch (stage) {
      case DisruptionPairs.BEFORE -> _ -> true;
      case DisruptionPairs.MARKED -> DisruptionPlay::isAdmitted;
      case DisruptionPairs.LISTED -> DisruptionPlay::isListed;
      case DisruptionPairs.DRAINING -> DisruptionPlay::isDraining;
      default -> throw new IllegalArgumentException(stage);
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("meetings")
  void twoCausesThatMeetEndAsTheTableSays(DisruptionPairs.Meeting cell) {
    for (boolean poolFirst : orders(cell.at())) {
      DisruptionPlay play = met(cell.at(), poolFirst);
      play.until(DisruptionPlay::isGone);
      assertThat(outcome(play)).as("pool first: %s", poolFirst).isEqualTo(cell.outcome());
    }
  }

  private static DisruptionPairs.Outcome outcome(DisruptionPlay play) {
    Disruption.Committed last = play.committed().orElseThrow();
    assertThat(last.limits().ending()).isEqualTo(new DisruptionEnding.Leave());
    Optional<Instant> notice = last.limits().stopAt().flatMap(_ -> play.notice());
    return new DisruptionPairs.Outcome(
        causes(last),
        notice
            .map(at -> since("notice", at, last.at()))
            .orElseGet(() -> since("first", DisruptionPlay.START, last.at())),
        notice
            .map(at -> since("notice", at, last.forceAt()))
            .orElseGet(() -> since("drain", last.at(), last.forceAt())),
        last.limits()
            .stopAt()
            .map(stop -> since("notice", notice.orElseThrow(), stop))
            .orElse("never"),
        String.join(", ", play.events()));
  }

  private static String causes(Disruption.Active active) {
    return active.words().replace(",", ", ");
  }

  private static String since(String what, Instant from, Instant at) {
    Duration passed = Duration.between(from, at);
    Duration size = passed.abs();
    return "%s %s %d:%02d"
        .formatted(what, passed.isNegative() ? "-" : "+", size.toMinutes(), size.toSecondsPart());
  }

  static List<DisruptionPairs.Absence> absences() {
    return DisruptionPairs.ABSENCES;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("absences")
  void aNoticeThatIsFoundLateEndsAsTheTableSays(DisruptionPairs.Absence cell) {
    for (boolean poolFirst : List.of(true, false)) {
      assertThat(late(cell, poolFirst)).as("pool first: %s", poolFirst).isEqualTo(cell.outcome());
    }
  }

  private static DisruptionPairs.Outcome late(DisruptionPairs.Absence cell, boolean poolFirst) {
    DisruptionPlay play = new DisruptionPlay(poolFirst);
    if (!cell.first().isEmpty()) {
      play.arrives(cell.first());
      assertThat(play.until(DisruptionPlay::isAdmitted)).isTrue();
    }
    play.arrives("preemption");
    String[] away = cell.away().split(":", -1);
    play.isAway(Duration.ofMinutes(Long.parseLong(away[0])).plusSeconds(Long.parseLong(away[1])));
    play.until(DisruptionPlay::isGone);
    return outcome(play);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("withdrawals")
  void causesThatAreWithdrawnLeaveWhatTheTableSays(DisruptionPairs.Withdrawal cell) {
    for (boolean poolFirst : orders(cell.at())) {
      DisruptionPlay play = met(cell.at(), poolFirst);
      play.toRest();
      String record = record(play);
      DisruptionPairs.Step first = withdraw(play, cell.first().withdrawn());
      DisruptionPairs.Step second = withdraw(play, cell.second().withdrawn());
      assertThat(new DisruptionPairs.Withdrawal(cell.at(), record, first, second))
          .as("pool first: %s", poolFirst)
          .isEqualTo(cell);
    }
  }

  private static DisruptionPairs.Step withdraw(DisruptionPlay play, String cause) {
    if (cause.isEmpty()) {
      return new DisruptionPairs.Step("", "");
    }
    play.isWithdrawn(cause);
    play.toRest();
    return new DisruptionPairs.Step(cause, record(play));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("uncordonings")
  void aNodeThatAPersonUncordonsHasTheRecordOfTheTable(DisruptionPairs.Uncordoning cell) {
    for (boolean poolFirst : orders(cell.at())) {
      DisruptionPlay play = met(cell.at(), poolFirst);
      play.toRest();
      String record = record(play);
      play.isUncordoned();
      play.toRest();
      assertThat(new DisruptionPairs.Uncordoning(cell.at(), record, record(play)))
          .as("pool first: %s", poolFirst)
          .isEqualTo(cell);
    }
  }

  static List<DisruptionPairs.Never> pairsThatNeverMeet() {
    return DisruptionPairs.NEVER;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pairsThatNeverMeet")
  void aCauseThatCannotComeAboutChangesNothing(DisruptionPairs.Never pair) {
    for (String stage : DisruptionPairs.stagesOf(pair.first())) {
      assertThat(outcome(pair.first(), pair.second(), stage))
          .isEqualTo(outcome(pair.first(), "", stage));
    }
  }

  private static DisruptionPairs.Outcome outcome(String first, String second, String stage) {
    DisruptionPairs.At at = new DisruptionPairs.At(first, second, stage, DisruptionPairs.EITHER);
    DisruptionPlay play = met(at, true);
    play.until(DisruptionPlay::isGone);
    return outcome(play);
  }

  @ParameterizedTest
  @ValueSource(strings = {"scale-down", "pool deletion", "orphan"})
  void theConditionNamesTheCausesInForce(String other) {
    DisruptionPlay play =
        met(new DisruptionPairs.At(other, "preemption", "marked", DisruptionPairs.EITHER), true);
    play.toRest();
    String message = play.removing().orElseThrow().message();
    Disruption.Active recorded = play.disruption().flatMap(Disruption::active).orElseThrow();
    assertThat(message).contains(recorded.text()).contains("its fleet reclaims the machine");

    play.isWithdrawn("preemption");
    play.toRest();
    assertThat(play.removing().orElseThrow().message())
        .doesNotContain("its fleet reclaims the machine");
  }

  @Test
  void theTableHasEveryPairInBothOrdersAtEveryStage() {
    List<List<String>> cells = new ArrayList<>();
    for (String first : DisruptionPairs.CAUSES) {
      for (String second : DisruptionPairs.CAUSES) {
        if (!first.equals(second) && !isNever(first, second)) {
          DisruptionPairs.stagesOf(first)
              .forEach(stage -> cells.add(List.of(first, second, stage)));
        }
      }
    }
    assertThat(
            DisruptionPairs.MEETINGS.stream()
                .map(DisruptionPairs.Meeting::at)
                .map(at -> List.of(at.first(), at.second(), at.stage()))
                .distinct())
        .containsExactlyElementsOf(cells);
  }

  private static boolean isNever(String first, String second) {
    return DisruptionPairs.NEVER.stream()
        .anyMatch(never -> never.first().equals(first) && never.second().equals(second));
  }

  /** What is recorded on the Node. */
  private static String record(DisruptionPlay play) {
    String cordon = play.isCordoned() ? "cordoned" : "not cordoned";
    String stage =
        switch (play.disruption().orElse(null)) {
          case Disruption.Admitted admitted ->
              "%d: %s%s"
                  .formatted(
                      admitted.sequence(),
                      causes(admitted),
                      passedOver(play, admitted.notes().passedOver()));
          case Disruption.Committed committed ->
              "%d: %s, draining".formatted(committed.sequence(), causes(committed));
          case Disruption.PassedOver passed -> "none" + passedOver(play, passed.until());
          case Disruption.Requested _ -> "the request";
          case null -> "none";
        };
    return stage + ", " + cordon;
  }

  private static String passedOver(DisruptionPlay play, Instant until) {
    return until.isAfter(play.now())
        ? ", passed over for " + Duration.between(play.now(), until).toMinutes() + " min"
        : "";
  }
}
