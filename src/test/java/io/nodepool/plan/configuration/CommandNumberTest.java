package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Commands of users after half of their record was lost, and those that overtake others. */
class CommandNumberTest {
  private static final String TWO_NODES =
      "create; deliver g0; delivered g0; deliver g1; delivered g1; ";

  private static ConfigurationPlay manual(String inputs) {
    return new ConfigurationPlay(UpdateStrategy.MANUAL).play(inputs);
  }

  @Test
  void aRollbackIsCarriedOutAfterTheRecordOfTheLastCommandIsLost() {
    ConfigurationPlay play =
        manual("create; release; promote; release; promote; lose annotation; rollback");

    assertThat(play.active()).isEqualTo("i2/580.2");
    assertThat(play.state().handled().command()).isEqualTo(3);
  }

  @Test
  void aRolloutIsStoppedAfterTheRecordOfTheLastCommandIsLost() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; rollout start; lose annotation; rollout stop");

    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
  }

  @Test
  void aLostStatusDoesNotRepeatTheLastCommandNorFollowTheNewestRelease() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; rollout start; release; lose status");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.NONE);
    assertThat(play.events()).doesNotContain("CWNodePoolNoPendingConfiguration");
    assertThat(play.state().handled().command()).isEqualTo(2);
  }

  @Test
  void aLostStatusOfNodesOnSeveralConfigurationsStopsTheRolloutAndSaysThat() {
    ConfigurationPlay play =
        manual(
            TWO_NODES
                + "release; promote; deliver g2; delivered g2; rollout start; release; lose status");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.pending()).isEqualTo("i3/590.3");
    assertThat(play.state().rollout().withSince(Optional.empty()))
        .isEqualTo(
            RolloutState.NONE.started().stopped("The record of the configurations was lost."));
    assertThat(play.state().revisions()).hasSize(2);
    assertThat(play.message(EventReason.NODE_POOL_CONFIGURATIONS_LOST))
        .isEqualTo(
            "The record of the configurations in the status was lost: i1_k1_580.1_v1.34.1 is active, which 2 of 3 Nodes booted, no command is carried out, and a rollout is stopped.");
    assertThat(play.events())
        .containsExactly("CWPendingNodeConfig", "CWNodePoolConfigurationsLost");

    play.play("rollback i2/580.2");
    assertThat(play.active()).isEqualTo("i2/580.2");
  }

  @ParameterizedTest
  @EnumSource(UpdateStrategy.class)
  void aLostStatusOrBothHalvesFollowNoReleaseThatWasPublishedBefore(UpdateStrategy strategy) {
    for (String lost : List.of("lose status", "lose both", "lose status; lose annotation")) {
      ConfigurationPlay play =
          new ConfigurationPlay(strategy).play(TWO_NODES + "release; rollback; " + lost);
      assertThat(play.active()).as(lost).isEqualTo("i1/580.1");

      play.play("gpu 570");
      assertThat(play.events()).as(lost).isNotEmpty();
    }
  }

  @Test
  void aSecondLossAfterTheSameCommandIsReportedToo() {
    ConfigurationPlay play = manual(TWO_NODES + "release; promote; lose status");
    String first = play.occasion(EventReason.NODE_POOL_CONFIGURATIONS_LOST);

    play.play("lose status");
    assertThat(play.occasion(EventReason.NODE_POOL_CONFIGURATIONS_LOST))
        .isNotEmpty()
        .isNotEqualTo(first);
  }

  @Test
  void anOlderStatusCountsAsLost() {
    ConfigurationPlay play =
        manual(
            TWO_NODES
                + "save; release; promote; deliver g2; delivered g2; rollout start; rollout stop; restore");

    assertThat(play.events()).contains("CWNodePoolConfigurationsLost");
    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
    assertThat(play.state().handled().command()).isEqualTo(3);
  }

  @Test
  void anOlderStatusResumesNoRolloutThatAUserHasStopped() {
    ConfigurationPlay play =
        manual(
            TWO_NODES
                + "release; promote; rollout start; save; rollout stop; release; promote; restore");

    assertThat(play.events()).contains("CWNodePoolConfigurationsLost");
    assertThat(play.state().rollout().phase()).isNotEqualTo(RolloutState.Phase.RUNNING);
  }

  /** It looks like a command that is accepted and not carried out yet. */
  @Test
  void aStatusFromJustBeforeTheLastCommandRepeatsThatOne() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; rollout start; save; rollout stop; restore");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
    assertThat(play.events()).doesNotContain("CWNodePoolConfigurationsLost");

    play.play("save; rollout start; restore");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.RUNNING);
    assertThat(play.state().handled().command()).isEqualTo(4);

    play = manual(TWO_NODES + "release; save; promote; release; restore");
    assertThat(play.events()).doesNotContain("CWNodePoolConfigurationsLost");
    assertThat(play.active()).isEqualTo("i3/590.3");
  }

  @Test
  void aStatusOfAnotherPoolIsVoid() {
    ConfigurationPlay play = manual(TWO_NODES + "release; promote; rollout start; copy status");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.NONE);
    assertThat(play.events()).contains("CWNodePoolConfigurationsLost");
  }

  @Test
  void aLostPartOfTheStatusKeepsTheActiveConfigurationAndNoCommand() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; rollout start; release; earlier version");

    assertThat(play.active()).isEqualTo("i2/580.2");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
    assertThat(play.events()).contains("CWNodePoolConfigurationsLost");
  }

  @Test
  void aRecordThatCannotBeReadIsReplacedAndReported() {
    ConfigurationPlay play = manual("create; release; promote; release; damage");
    assertThat(play.events()).containsExactly("CWNodePoolRequestRefused");
    assertThat(play.message(EventReason.NODE_POOL_REQUEST_REFUSED)).isEqualTo("It is damaged.");
    assertThat(play.state().handled().command()).isEqualTo(2);

    play.play("rollback");
    assertThat(play.active()).isEqualTo("i1/580.1");
  }

  @Test
  void aWaitThatNothingWaitsForIsOver() {
    ConfigurationPlay play =
        manual("create; deliver g0; delivered g0; release; deliver g1; promote; lose annotation");

    assertThat(play.state().waitingUntil()).isEmpty();
  }

  @Test
  void aStopOvertakesAPromotionThatWaitsWhichIsDoneLater() {
    ConfigurationPlay play =
        manual(
            TWO_NODES
                + "release; promote; rollout start; release; deliver g2; promote; rollout stop");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
    assertThat(play.active()).isEqualTo("i2/580.2");
    assertThat(play.state().waitingUntil()).isPresent();

    play.play("delivered g2");
    assertThat(play.active()).isEqualTo("i3/590.3");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
  }

  @Test
  void aRepeatedPromotionDoesNotHoldUpTheRollbackThatFollows() {
    ConfigurationPlay play =
        manual(
            "create; deliver g0; delivered g0; release; promote; release; deliver g1; promote; promote; rollback");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.events()).doesNotContain("CWNodePoolNodeConfigUpdateConflict");
  }

  @Test
  void aRefusedCommandBesideAnotherRefusedOneIsReportedToo() {
    ConfigurationPlay play = manual("create; rollout begin + promote");

    assertThat(play.message(EventReason.NODE_POOL_NO_PENDING_CONFIGURATION)).isNotEmpty();
    assertThat(play.message(EventReason.NODE_POOL_REQUEST_REFUSED)).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "release | promote yes + rollout start | CWNodePoolRequestRefused | The annotation nodepool.io/promote is \"yes\"; it is true or false, and no rollout is started.",
        "wait | promote + rollout start | CWNodePoolNoPendingConfiguration | There is no pending configuration to promote, and no rollout is started.",
        "release | promote + rollback + rollout start | CWNodePoolNodeConfigUpdateConflict | A promotion and a rollback were requested at the same time; neither is done, and no rollout is started.",
        "release | rollback i9/580.9 + rollout start | CWNodePoolNodeConfigRollbackFailed | The rollback failed: i9_k9_580.9_v1.34.9 is none of its revisions: i1_k1_580.1_v1.34.1, and no rollout is started."
      })
  void aCommandThatIsRefusedStartsNothingAndThatIsReported(
      String before, String command, String event, String message) {
    ConfigurationPlay play = manual(TWO_NODES + before + "; " + command);

    assertThat(play.state().rollout()).isEqualTo(RolloutState.NONE);
    assertThat(play.events()).contains(event);
    assertThat(
            Stream.of(EventReason.values())
                .filter(reason -> reason.word().equals(event))
                .map(play::message))
        .containsExactly(message);
  }

  @Test
  void aPromotionThatIsRefusedBesideARollbackStartsNothing() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; promote yes + rollback + rollout start");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.state().rollout()).isEqualTo(RolloutState.NONE);
  }

  @Test
  void aStopBesideACommandThatIsRefusedIsCarriedOut() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; rollout start; rollout stop + both");

    assertThat(play.events()).contains("CWNodePoolNodeConfigUpdateConflict");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
  }
}
