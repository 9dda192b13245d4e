package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Action;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.cluster.ApiOutages;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is reported of a pool's change of its configuration, and of its rollout, as literals. */
@Tag("world")
class ConfigurationEventsTest {
  private static final String SECOND = "ncore-2.11.0";
  private static final String BROKEN = "ncore-2_6.8.0-71_580.1_v1.34.4";

  private final Drill drill = Drill.calm(1);
  private final RolloutClient client = new RolloutClient(drill, "a");

  private void pool(int nodes) {
    drill.pool("a").target(nodes).toRest();
  }

  /** The messages of the Events with this reason, in the order in which they were first emitted. */
  private List<String> messages(EventReason reason) {
    return drill.events(reason).map(event -> event.eventDraft().message()).toList();
  }

  @Test
  void aRolloutIsReportedFromItsStartToItsEnd() {
    pool(4);
    client.rollOut(SECOND);
    drill.toRest();

    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_STARTED))
        .containsExactly(
            "A user started the rollout of ncore-2.11.0: 4 of 4 nodes to reboot, busy ones once they are idle.");
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_COMPLETE))
        .singleElement()
        .asString()
        .matches(
            "The rollout of ncore-2\\.11\\.0 \\(running since 2026-\\S+Z\\) is complete with 4 of 4 nodes up to date\\.");
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_PAUSED)).isEmpty();
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_CONTINUED)).isEmpty();
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_STOPPED)).isEmpty();
    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED)).isEmpty();
  }

  @Test
  void aStopAndEachContinuationAreReportedOnceEach() {
    pool(3);
    client.rollOut(SECOND);
    drill.advance(2, MINUTES);
    for (int i = 0; i < 2; i++) {
      client.stop();
      drill.advance(1, MINUTES);
      client.start();
      drill.advance(1, MINUTES);
    }
    drill.toRest();

    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_STARTED)).hasSize(1);
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_STOPPED))
        .hasSize(2)
        .allSatisfy(text ->
            assertThat(text)
                .matches(
                    "A user stopped the rollout of ncore-2\\.11\\.0 \\(running since 2026-\\S+Z\\) with \\d of 3 nodes up to date\\."));
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_CONTINUED))
        .hasSize(2)
        .allSatisfy(text ->
            assertThat(text)
                .matches(
                    "A user continued the rollout of ncore-2\\.11\\.0 \\(stopped since 2026-\\S+Z\\): \\d of 3 nodes to reboot, busy ones once they are idle\\."));
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_COMPLETE)).hasSize(1);
  }

  @Test
  void aRolloutThatIsCompleteAtOnceIsStartedAndComplete() {
    pool(2);
    client.start();
    drill.toRest();

    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_STARTED))
        .containsExactly(
            "A user started the rollout of ncore-2.10.1: 0 of 2 nodes to reboot, busy ones once they are idle.");
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_COMPLETE))
        .containsExactly("The rollout of ncore-2.10.1 is complete with 2 of 2 nodes up to date.");
  }

  /**
   * Machines do not come back on it: the change fails, the rollout pauses, and a rollback ends
   * both.
   */
  @Test
  void aConfigurationThatMachinesDoNotBootFailsAndPausesTheRolloutAndARollbackEndsIt() {
    pool(6);
    client.most(1);
    client.rollOutBroken("2", 1, RebootMishaps.Kind.HANG);
    drill.advance(6, HOURS);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);

    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED))
        .singleElement()
        .asString()
        .matches(
            "The change to configuration %s fails: boots into it failed on 2 machines: \\S+, \\S+\\. It is retried\\."
                .formatted(BROKEN));
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_PAUSED))
        .containsExactly(
            "The rollout of %s is paused with 0 of 6 nodes up to date. The last 3 boots of the configuration failed."
                .formatted(BROKEN));

    client.rollback();
    drill.toRest();
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_CONTINUED))
        .singleElement()
        .asString()
        .matches(
            "The rollout goes on with ncore-2\\.10\\.1, which became active \\(paused since 2026-\\S+Z\\): \\d of \\d nodes to reboot, busy ones once they are idle\\.");
    assertThat(messages(EventReason.NODE_POOL_ROLLOUT_COMPLETE))
        .containsExactly("The rollout of ncore-2.10.1 is complete with 6 of 6 nodes up to date.");
  }

  @Test
  void whatIsStagedIsTakenBackWithARollback() {
    pool(3);
    client.strategy(UpdateStrategy.ALWAYS);
    drill.toRest();
    client.release(SECOND);
    drill.toRest();
    assertThat(drill.emitted(EventReason.CONFIG_STAGED)).isEqualTo(3);
    assertThat(drill.emitted(EventReason.CONFIG_UNSTAGED)).isZero();

    client.rollback();
    drill.toRest();
    assertThat(messages(EventReason.CONFIG_UNSTAGED))
        .hasSize(3)
        .allSatisfy(text ->
            assertThat(text)
                .matches(
                    "Configuration ncore-2\\.11\\.0 is no longer staged on Node \\S+, which boots ncore-2\\.10\\.1 next: the active configuration is ncore-2\\.10\\.1\\."));
  }

  @Test
  void whatIsStagedIsTakenBackWhenItIsDisabled() {
    pool(6);
    client.most(1);
    client.rollOutBroken("2", 1, RebootMishaps.Kind.FAIL);
    drill.advance(6, HOURS);
    assertThat(client.state().isDisabled()).isTrue();
    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED))
        .singleElement()
        .asString()
        .matches(
            "The change to configuration %s fails: boots into it failed on 3 machines: \\S+, \\S+, \\S+\\. It is disabled\\."
                .formatted(BROKEN));

    assertThat(messages(EventReason.CONFIG_UNSTAGED))
        .anySatisfy(text ->
            assertThat(text)
                .matches(
                    "Configuration %s is no longer staged on Node \\S+, which boots ncore-2\\.10\\.1 next: it is disabled\\."
                        .formatted(BROKEN)));
  }

  @Test
  void aChangeThatCannotBeStagedFails() {
    pool(3);
    client.strategy(UpdateStrategy.ALWAYS);
    drill.toRest();
    drill
        .world
        .apiOutages()
        .refuse(
            action -> action instanceof Action.OnHost(HostOperation.Stage _),
            ApiOutages.Refusal.BUSY,
            Duration.ofMinutes(5));
    client.release(SECOND);
    drill.advance(4, MINUTES);

    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED))
        .singleElement()
        .asString()
        .startsWith("The change to configuration ncore-2.11.0 fails. Staging failed on ");
    drill.toRest();
    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED)).hasSize(1);
  }

  @Test
  void aPromotionWaitsForNodesThatAreBeingDelivered() {
    pool(2);
    client.strategy(UpdateStrategy.MANUAL);
    client.release(SECOND);
    drill.toRest();
    drill.pool("a").target(3).advance(15, SECONDS);
    client.promote();
    drill.toRest();

    assertThat(messages(EventReason.PENDING_NODE_CONFIG)).hasSize(1);
    assertThat(messages(EventReason.MANUAL_UPGRADE_TRIGGER)).hasSize(1);
    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATE_PENDING)).hasSize(1);
    assertThat(messages(EventReason.NODE_POOL_NODE_CONFIG_UPDATED)).hasSize(1);
    assertThat(messages(EventReason.NODE_CONFIG_STAGED)).hasSize(1);
  }

  @Test
  void aPromotionOfNothingIsRefused() {
    pool(1);
    client.promote();
    drill.toRest();

    assertThat(messages(EventReason.NODE_POOL_NO_PENDING_CONFIGURATION)).hasSize(1);
  }
}
