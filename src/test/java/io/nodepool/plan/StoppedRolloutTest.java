package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a rollout that is stopped, or evicts no longer, still does to a Node. */
class StoppedRolloutTest {
  private static final String EVICTING = "evicting rollout";
  private static final UnaryOperator<ConfigurationSpec> STOP =
      asked(Optional.empty(), Optional.of("stop"));

  private static ConfigurationSpec withoutEviction(ConfigurationSpec spec) {
    return spec.withRollout(RolloutSettings.DEFAULTS);
  }

  private static UnaryOperator<ConfigurationSpec> asked(
      Optional<String> rollback, Optional<String> rollout) {
    return spec ->
        spec.withCommands(
            ConfigurationCommands.NONE.withAsked(
                new ConfigurationCommands.Asked(Optional.empty(), rollback, rollout)));
  }

  /** A Node whose machine is planned before its pool. */
  private static DisruptionPlay play(boolean busy) {
    return new DisruptionPlay(false, busy, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reconfiguration", "safe reboot", "power reset", "verification"})
  void aTurnThatIsStoppedBesideASafeRequestInterruptsNothing(String request) {
    DisruptionPlay play = play(true);
    play.arrives(EVICTING);
    play.until(DisruptionPlay::isAdmitted);
    play.arrives(request);
    assertThat(play.until(DisruptionPlay::isListed)).isTrue();

    play.isWithdrawn(EVICTING);
    play.toRest();
    assertThat(play.isDraining()).isFalse();
  }

  @Test
  void aStopThatIsNotAcceptedYetHoldsBackWhatIsNotCommitted() {
    holdsBack(play(false), "rollout", STOP);
    holdsBack(play(true), EVICTING, STOP);
    holdsBack(play(false), "rollout", asked(Optional.of(""), Optional.empty()));
  }

  @Test
  void aSettingThatIsTakenBackHoldsBackWhatWouldBeEvicted() {
    holdsBack(play(true), EVICTING, StoppedRolloutTest::withoutEviction);
  }

  private static void holdsBack(
      DisruptionPlay play, String rollout, UnaryOperator<ConfigurationSpec> asked) {
    play.arrives(rollout);
    assertThat(play.until(DisruptionPlay::isListed)).isTrue();

    play.isAsked(asked);
    play.toRest();
    assertThat(play.isDraining()).isFalse();
  }

  @Test
  void aStopReleasesANodeThatIsDrainedForTheRolloutAlone() {
    DisruptionPlay play = play(true);
    play.arrives(EVICTING);
    assertThat(play.until(DisruptionPlay::isDraining)).isTrue();

    play.isWithdrawn(EVICTING);
    play.toRest();
    assertThat(play.disruption()).containsInstanceOf(Disruption.PassedOver.class);
    assertThat(play.isCordoned()).isFalse();
    assertThat(play.boots()).isEmpty();
    assertThat(play.events()).containsOnlyOnce("CWNodeUncordoned");
  }

  @Test
  void aStopThatIsNotPublishedYetEvictsNothingMoreUntilTheForceInstant() {
    DisruptionPlay play = play(true);
    play.arrives(EVICTING);
    assertThat(play.until(DisruptionPlay::isDraining)).isTrue();
    assertThat(play.isEvicting()).isFalse();

    play.isAsked(STOP);
    play.toRest();
    assertThat(play.isEvicting()).isFalse();
    assertThat(play.isDraining()).isTrue();
    assertThat(play.until(each -> each.isEvicting() || each.isForcing())).isTrue();
    assertThat(play.isForcing()).isTrue();
  }

  @Test
  void aSettingThatIsTakenBackReleasesANodeThatIsDrainedForTheRolloutAlone() {
    DisruptionPlay play = play(true);
    play.arrives(EVICTING);
    assertThat(play.until(DisruptionPlay::isDraining)).isTrue();

    play.isAsked(StoppedRolloutTest::withoutEviction);
    play.toRest();
    assertThat(play.disruption()).containsInstanceOf(Disruption.PassedOver.class);
    assertThat(play.isCordoned()).isFalse();
  }

  /** A Node that is drained for an evicting rollout, beside another cause. */
  private static DisruptionPlay drained(String other) {
    DisruptionPlay play = play(true);
    play.arrives(EVICTING);
    play.until(DisruptionPlay::isAdmitted);
    play.arrives(other);
    assertThat(play.until(DisruptionPlay::isDraining)).isTrue();
    assertThat(play.committed().orElseThrow().causes()).hasSize(2);
    return play;
  }

  @Test
  void aStopReleasesANodeThatASafeRequestDrainsToo() {
    DisruptionPlay play = drained("reconfiguration");

    play.isWithdrawn(EVICTING);
    play.toRest();
    assertThat(play.disruption()).containsInstanceOf(Disruption.PassedOver.class);
    assertThat(play.isCordoned()).isFalse();
    assertThat(play.boots()).isEmpty();
    assertThat(play.node().orElseThrow().metadata().label(NodeLabels.PENDING_STATE))
        .isEqualTo(LifecycleState.RECONFIGURE.word());

    play.until(each -> each.isDraining() || each.isEvicting() || each.isForcing());
    assertThat(play.isDraining() || play.isEvicting() || play.isForcing()).isFalse();
  }

  @Test
  void aStopThatIsNotPublishedYetEvictsNothingMoreBesideASafeRequest() {
    DisruptionPlay play = drained("reconfiguration");
    assertThat(play.isEvicting()).isFalse();

    play.isAsked(STOP);
    play.toRest();
    assertThat(play.isEvicting()).isFalse();
    assertThat(play.isDraining()).isTrue();
  }

  @Test
  void aSettingThatIsTakenBackReleasesANodeThatASafeRequestDrainsToo() {
    DisruptionPlay play = drained("reconfiguration");

    play.isAsked(StoppedRolloutTest::withoutEviction);
    play.toRest();
    assertThat(play.disruption()).containsInstanceOf(Disruption.PassedOver.class);
    assertThat(play.isCordoned()).isFalse();
  }

  @Test
  void aStopReleasesNoNodeThatACauseDrainsTooThatInterruptsWork() {
    DisruptionPlay play = drained("immediate reboot");

    play.isWithdrawn(EVICTING);
    play.toRest();
    assertThat(play.isDraining()).isTrue();
  }

  @Test
  void aStopLeavesANodeWhoseMachineIsBooted() {
    DisruptionPlay play = play(true);
    play.arrives(EVICTING);
    assertThat(play.until(DisruptionPlay::isBooting)).isTrue();

    play.isWithdrawn(EVICTING);
    play.toRest();
    assertThat(play.isDraining()).isTrue();
  }
}
