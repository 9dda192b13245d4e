package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    assertThat(play.state().rollout())
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
    ConfigurationPlay play = manual("create; release; promote; release; damage; wait");
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
    assertThat(play.message(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED)).isNotEmpty();
  }

  @Test
  void aStopBesideACommandThatIsRefusedIsCarriedOut() {
    ConfigurationPlay play =
        manual(TWO_NODES + "release; promote; rollout start; rollout stop + both");

    assertThat(play.events()).contains("CWNodePoolNodeConfigUpdateConflict");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
  }
}
