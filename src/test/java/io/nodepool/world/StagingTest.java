package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.ApiOutages;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Configurations that are staged on Nodes, and that cannot be staged. */
class StagingTest {
  private static final FleetRelease NEXT = FleetRelease.whole("ncore-2.11.0", List.of());

  private static Drill drill(UpdateStrategy strategy) {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(3);
    drill.toRest();
    drill.pool("a").edit(spec -> with(spec, strategy));
    return drill.toRest();
  }

  private static PoolSpec with(PoolSpec spec, UpdateStrategy strategy) {
    return spec.withConfiguration(spec.configuration().withStrategy(strategy));
  }

  private static List<String> wanted(Drill drill) {
    return drill.pool("a").hosts().stream()
        .map(host -> host.occupancy().configuration())
        .distinct()
        .toList();
  }

  @Test
  void everyNodeIsStagedOnceAndAnyBootAdoptsIt() {
    Drill drill = drill(UpdateStrategy.ALWAYS);
    drill.world.cluster().fleetOwner().publish(NEXT);
    drill.toRest();

    assertThat(wanted(drill)).containsExactly(NEXT.name());
    assertThat(drill.emitted(EventReason.CONFIG_STAGED)).isEqualTo(3);
    assertThat(drill.pool("a").conditions())
        .containsEntry("NodeReconfigurationRequired", "StagedNodeConfig");
  }

  @Test
  void underRolloutOnCommandNothingIsStagedBeforeItsTurn() {
    Drill drill = drill(UpdateStrategy.ALWAYS);
    drill.world.cluster().fleetOwner().publish(NEXT);
    drill.toRest();
    drill.pool("a").edit(spec -> with(spec, UpdateStrategy.ROLLOUT_ON_COMMAND));
    drill.toRest();

    assertThat(wanted(drill)).containsExactly("ncore-2.10.1");
    assertThat(drill.pool("a").conditions())
        .containsEntry("NodeReconfigurationRequired", "StagedNodeConfig");
  }

  @Test
  void whatCannotBeStagedIsSaidOnTheNodeAndByThePoolUntilItIsStaged() {
    Drill drill = drill(UpdateStrategy.ALWAYS);
    drill
        .world
        .apiOutages()
        .refuse(
            action -> action instanceof Action.OnHost(HostOperation.Stage _),
            ApiOutages.Refusal.BUSY,
            Duration.ofMinutes(5));
    drill.world.cluster().fleetOwner().publish(NEXT);
    drill.advance(4, ChronoUnit.MINUTES);

    assertThat(drill.emitted(EventReason.NODE_CONFIG_STAGING_FAILED)).isEqualTo(3);
    assertThat(drill.emitted(EventReason.CONFIG_STAGED)).isZero();
    assertThat(drill.pool("a").conditions())
        .containsEntry("NodeReconfigurationRequired", "InternalError");
    assertThat(drill.pool("a").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .startsWith("Staging failed on 3 nodes: ");

    drill.toRest();
    assertThat(wanted(drill)).containsExactly(NEXT.name());
    assertThat(drill.pool("a").conditions())
        .containsEntry("NodeReconfigurationRequired", "StagedNodeConfig");
    assertThat(drill.emitted(EventReason.NODE_CONFIG_STAGING_FAILED)).isEqualTo(3);
    assertThat(drill.emitted(EventReason.CONFIG_STAGED)).isEqualTo(3);
  }
}
