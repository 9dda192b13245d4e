package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first deliveries of a configuration that no machine of the type has booted (D223). */
@Tag("world")
class FirstGroupTest {
  private final Drill drill =
      Drill.with(1, Drill.racks(Drill.GPU, 1, 24), Faults.NONE, OperatorOverrides.AS_BUILT);
  private final WorldCluster cluster = drill.world.cluster();

  /** Names of the machines that were on, and the most that were before the first one booted. */
  private final Set<String> on = new HashSet<>();

  private int before;

  private void watch() {
    cluster.watch(
        WorldCluster.Kind.HOSTS,
        seen -> {
          if (seen instanceof Observation.HostSeen(Host host)) {
            if (host.assignment().isPresent()) {
              on.add(host.id().name());
            } else {
              on.remove(host.id().name());
            }
            boolean none = cluster.nodes().values().stream().noneMatch(node -> node.registered());
            before = none ? Math.max(before, on.size()) : before;
          }
        });
  }

  private Drill.PoolDrill selecting(int target) {
    PoolSpec spec = Fixtures.spec(Drill.GPU, target);
    cluster.createPool(
        "a",
        spec.withConfiguration(
            spec.configuration().withRequest(spec.configuration().request().withGpuVersion("580"))),
        drill.world.instant());
    return drill.pool("a");
  }

  @Test
  void oneOfTwentyBootsItAndThenAllOthers() {
    watch();
    Drill.PoolDrill pool = selecting(20);
    drill.advance(10, MINUTES);
    assertThat(pool.hosts()).hasSize(1);
    assertThat(pool.message(PoolCondition.AT_TARGET))
        .isEqualTo(
            "NodePool has 0 of 20 nodes: 1 in progress, 19 queued. No machine of the type has booted configuration ncore-2.10.1: until a Node of it is registered, at most 1 machine may boot it.");
    drill.toRest();

    assertThat(before).isOne();
    assertThat(pool.nodes()).hasSize(20);
  }

  @Test
  void whatTheFleetOffersByItselfGoesOutAtOnce() {
    watch();
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(20);
    drill.advance(10, MINUTES);

    assertThat(pool.hosts()).hasSize(20);
  }

  @Test
  void whatDoesNotBootIsTriedOnOneMachineAtATime() {
    cluster
        .fleetOwner()
        .publish(
            new FleetRelease.Parts(
                "2",
                List.of(new FleetRelease.Image("ncore-2", "stable", List.of("6.8.0-71"))),
                List.of("580.1"),
                "v1.34.4"));
    cluster
        .fleetOwner()
        .breakConfigurations(
            new BrokenConfiguration("ncore-2", "", "", 1, RebootMishaps.Kind.HANG));
    watch();
    Drill.PoolDrill pool = selecting(20);
    drill.advance(8, HOURS);

    assertThat(before).isOne();
    assertThat(pool.nodes()).isEmpty();
    assertThat(pool.seen().status().configuration().isDisabled()).isTrue();
  }
}
