package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Given;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the command to start a rollout does after failures. */
class RolloutCommandTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final FleetRelease RELEASE = FleetRelease.whole("p1", List.of());

  private static ConfigurationState published(RolloutState rollout, boolean disabled) {
    return ConfigurationState.NONE
        .withProfile("p1")
        .withRevisions(
            List.of(
                new ConfigurationState.Revision(
                    new NodeConfiguration("p1", List.of()),
                    "p1",
                    NOW,
                    NOW,
                    0,
                    false,
                    Fixtures.boots(
                        disabled,
                        Optional.empty(),
                        List.of(new ConfigurationState.FailedBoot("g1", NOW))))))
        .withHandled(
            new ConfigurationState.Handled(
                "",
                ConfigurationSpec.DEFAULT.request().text(),
                Optional.of(ConfigurationSpec.DEFAULT.strategy()),
                "p1",
                0))
        .withRollout(rollout);
  }

  private static ConfigurationState started(ConfigurationState published) {
    ConfigurationCommands commands =
        ConfigurationCommands.NONE.afterAccepting(
            new ConfigurationCommands.Accepted(
                1, 0, false, Optional.empty(), Optional.of("start"), false));
    Pool pool = Given.pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
    return ConfigurationPlanner.step(
            published,
            new ConfigurationInputs(
                pool.withSpec(
                    pool.spec()
                        .withConfiguration(ConfigurationSpec.DEFAULT.withCommands(commands))),
                new Selections(
                    ConfigurationSpec.DEFAULT.request(),
                    false,
                    List.of(RELEASE),
                    ConfigurationVerdicts.NONE),
                new KubernetesSkew(Optional.of("v1.34.4")),
                Members.NONE,
                Duration.ofHours(1),
                NOW))
        .state;
  }

  private static int failures(ConfigurationState state) {
    return state.active().orElseThrow().boots().failures().size();
  }

  @Test
  void aRolloutThatPausedGoesOnAndCountsFailuresAnew() {
    RolloutState paused = RolloutState.NONE.started().paused("Why.");
    ConfigurationState next = started(published(paused, false));

    assertThat(next.rollout()).isEqualTo(RolloutState.NONE.started());
    assertThat(failures(next)).isZero();
  }

  @Test
  void aRolloutThatAUserStoppedKeepsItsFailuresAndADisabledConfigurationToo() {
    RolloutState running = RolloutState.NONE.started();
    assertThat(failures(started(published(running.stopped(), false)))).isOne();
    assertThat(failures(started(published(running.paused("Why."), true)))).isOne();
  }
}
