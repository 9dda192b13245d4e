package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.ConfigurationTable;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigurationTableTest {
  private static Stream<ConfigurationTable.Cell> cells() {
    return Stream.of(UpdateStrategy.values())
        .flatMap(strategy -> ConfigurationTable.cells(strategy).stream());
  }

  @ParameterizedTest
  @MethodSource("cells")
  void theStateFollowsTheTable(ConfigurationTable.Cell cell) {
    ConfigurationPlay play = new ConfigurationPlay(cell.strategy());
    if (!cell.before().isEmpty()) {
      play.play(cell.before());
    }
    play.play(cell.input());

    assertThat(play.active()).isEqualTo(cell.active());
    assertThat(play.pending()).isEqualTo(cell.pending());
    assertThat(String.join(", ", play.events())).isEqualTo(cell.events());
  }

  @ParameterizedTest
  @MethodSource("cells")
  void nothingIsDoneTwice(ConfigurationTable.Cell cell) {
    ConfigurationPlay play = new ConfigurationPlay(cell.strategy());
    play.play((cell.before().isEmpty() ? "" : cell.before() + "; ") + cell.input());
    ConfigurationState state = play.state();

    play.play("wait");

    assertThat(play.events()).isEmpty();
    assertThat(play.state()).isEqualTo(state);
  }

  @ParameterizedTest
  @EnumSource(
      value = UpdateStrategy.class,
      names = {"ON_SPEC_UPDATE", "ALWAYS"})
  void aChangeWaitsForNodesInDelivery(UpdateStrategy strategy) {
    ConfigurationPlay play = new ConfigurationPlay(strategy).play("create; deliver g1; gpu 570");
    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.events()).containsExactly("CWNodePoolNodeConfigUpdatePending");
    assertThat(play.state().waitingUntil()).isPresent();

    play.play("deliver g2");
    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.events()).isEmpty();

    play.play("delivered g1");
    assertThat(play.active()).isEqualTo("i1/570.1");
    assertThat(play.state().waitingUntil()).isEmpty();
  }

  @Test
  void aPromotionThatIsNoBooleanIsRefused() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.MANUAL).play("create; release; promote yes");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.events()).containsExactly("CWNodePoolRequestRefused");
    assertThat(play.message(EventReason.NODE_POOL_REQUEST_REFUSED))
        .isEqualTo("The annotation nodepool.io/promote is \"yes\"; it is true or false.");
  }

  @Test
  void aPromotionWaitsToo() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.MANUAL).play("create; release; deliver g1; promote");
    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.pending()).isEqualTo("i2/580.2");
    assertThat(play.events())
        .containsExactly("CWManualUpgradeTrigger", "CWNodePoolNodeConfigUpdatePending");

    play.play("delivered g1");
    assertThat(play.active()).isEqualTo("i2/580.2");
    assertThat(play.pending()).isEmpty();
  }

  @Test
  void aChangeWaitsNoLongerThanADeliveryMayTake() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ALWAYS).play("create; deliver g1; release");
    assertThat(play.active()).isEqualTo("i1/580.1");

    play.play("later PT74M");
    assertThat(play.active()).isEqualTo("i1/580.1");
    play.play("later PT2M");
    assertThat(play.active()).isEqualTo("i2/580.2");
  }

  /** It is left as it is, so that its delivery does not go on, and it may have ended. */
  @Test
  void aChangeDoesNotWaitForAMachineThatCannotBeRead() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.MANUAL)
            .play("create; release; deliver g1; delivered g1; garbled g1; promote");
    assertThat(play.events()).doesNotContain("CWNodePoolNodeConfigUpdatePending");
    assertThat(play.active()).isEqualTo("i2/580.2");
  }

  @Test
  void aRollbackDoesNotWaitAndEndsAChangeThatDoes() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ON_SPEC_UPDATE)
            .play("create; gpu 570; deliver g1; gpu 580; rollback");
    assertThat(play.active()).isEqualTo("i1/580.1");

    play.play("delivered g1");
    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.state().waitingUntil()).isEmpty();
  }

  /** An earlier version of the operator published the active configuration and nothing else. */
  @ParameterizedTest
  @CsvSource({
    "MANUAL,             i1/580.1, i2/580.2",
    "ON_SPEC_UPDATE,     i1/580.1, i2/580.2",
    "ROLLOUT_ON_COMMAND, i1/580.1, i2/580.2",
    "ALWAYS,             i2/580.2, ''",
  })
  void aPoolOfAnEarlierVersionFollowsItsStrategy(
      UpdateStrategy strategy, String active, String pending) {
    ConfigurationPlay play = new ConfigurationPlay(strategy).play("create; earlier version");

    assertThat(play.active()).isEqualTo(active);
    assertThat(play.pending()).isEqualTo(pending);
  }

  @Test
  void aRolloutIsStoppedAlsoWhileAChangeWaits() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ROLLOUT_ON_COMMAND)
            .play("create; deliver g0; delivered g0; gpu 570; rollout start");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.RUNNING);

    play.play("deliver g1; gpu 580; rollout stop");
    assertThat(play.state().rollout().phase()).isEqualTo(RolloutState.Phase.STOPPED);
    assertThat(play.active()).isEqualTo("i1/570.1");
  }

  @Test
  void aWordThatIsNoCommandIsSaid() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.MANUAL).play("create; rollout begin");

    assertThat(play.message(EventReason.NODE_POOL_REQUEST_REFUSED))
        .isEqualTo("The annotation nodepool.io/rollout is \"begin\"; it is start or stop.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gpu 999         | spec.gpu.version is 999, and release r1 has the drivers 570.1, 580.1.
          image i7        | spec.image.name is i7, and release r1 has i1, l1.
          image kernel k7 | spec.image.kernel is k7, and release r1 has k1, k1x.
          """)
  void aSpecThatNothingOnOfferMeetsIsInvalid(String input, String message) {
    ConfigurationPlay play = new ConfigurationPlay(UpdateStrategy.ALWAYS).play("create; " + input);

    assertThat(play.validated()).isEqualTo(message);
    assertThat(play.active()).isEqualTo("i1/580.1");
  }

  /** A user who names what only an older release has wants that one. */
  @ParameterizedTest
  @CsvSource({"ON_SPEC_UPDATE", "ROLLOUT_ON_COMMAND"})
  void aChangeOfTheSpecThatOnlyAnOlderReleaseMeetsBecomesActiveAtOnce(UpdateStrategy strategy) {
    ConfigurationPlay play =
        new ConfigurationPlay(strategy).play("create; release; promote; image kernel k1");

    assertThat(play.active()).startsWith("l1");
    assertThat(play.pending()).isEmpty();
  }

  @Test
  void aGpuDriverBesideAnImageIsIgnoredAndThatIsSaid() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ALWAYS).play("create; gpu 570; image stable");

    assertThat(play.active()).isEqualTo("i1/580.1");
    assertThat(play.validated())
        .isEqualTo(
            "NodePool configuration is valid. spec.gpu is ignored, since spec.image is set.");
  }

  @Test
  void revisionsAreSortedAndSayWhatTheyAre() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ON_SPEC_UPDATE)
            .play("create; gpu 570; image latest; rollback");

    assertThat(play.state().revisions())
        .extracting(each -> ConfigurationPlay.shortly(each.profile()))
        .containsExactly("i1/580.1", "i1/570.1", "l1/580.1");
    assertThat(play.active()).isEqualTo("i1/570.1");
    assertThat(play.state().revisions())
        .filteredOn(ConfigurationState.Revision::abandoned)
        .extracting(each -> ConfigurationPlay.shortly(each.profile()))
        .containsExactly("l1/580.1");
    assertThat(play.state().revisions().getFirst().configuration().summary())
        .containsExactly("image i1", "kernel k1", "GPU driver 580.1", "Kubernetes v1.34.1");
  }

  @Test
  void aReleaseWhoseKubeletIsNewerThanTheApiServerIsNotUsed() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ALWAYS).play("api v1.33.9; create");
    assertThat(play.active()).isEmpty();

    play.play("api v1.34.0");
    assertThat(play.active()).isEqualTo("i1/580.1");
  }

  @Test
  void aRollbackBeyondTheSupportedSkewFails() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.MANUAL)
            .play("create; release; promote; api v1.38.0; rollback");

    assertThat(play.active()).isEqualTo("i2/580.2");
    assertThat(play.message(EventReason.NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED))
        .isEqualTo(
            "The rollback failed: its kubelet v1.34.1 is 4 minor versions older than the API server v1.38.0, and supported are at most 3 minor versions older.");
  }

  /** Another one may become active in the same step, and is not yet when this is said. */
  @Test
  void aRefusedPromotionSaysNothingOfTheActiveConfiguration() {
    ConfigurationPlay play =
        new ConfigurationPlay(UpdateStrategy.ALWAYS).play("create; release + promote");

    assertThat(play.message(EventReason.NODE_POOL_NO_PENDING_CONFIGURATION))
        .isEqualTo("There is no pending configuration to promote.");
  }
}
