package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests rollouts, and pools that grow, whose boots fail: what they cost, and that they end. */
@Tag("world")
class FailedRolloutTest {
  private static final String FIRST = "ncore-2.10.1";
  private static final String SECOND = "ncore-2.11.0";

  private static Drill drill(long seed, int machines) {
    return Drill.with(
        seed, Drill.racks(Drill.GPU, 1, machines), Faults.NONE, OperatorOverrides.AS_BUILT);
  }

  /** A release of which the boots go wrong from this one on. */
  private static void breaks(Drill drill, int fromBoot, RebootMishaps.Kind kind) {
    RolloutClient.publishBroken(drill, "2", fromBoot, kind);
    drill.advance(1, MINUTES);
  }

  /** The names of the machines that fail from now on. */
  private static Set<String> failures(Drill drill) {
    Set<String> names = new TreeSet<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.HOSTS,
            seen -> {
              if (seen instanceof Observation.HostSeen(Host host)
                  && host.report().phase() == HostPhase.FAILED) {
                names.add(host.id().name());
              }
            });
    return names;
  }

  /** Machines fail the moment they boot; as many as may be unavailable fail at once. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void failuresThatComeAtOnceAreAllCounted(long seed) {
    int most = 2;
    Drill drill = drill(seed, 20);
    drill.pool("a").target(8).toRest();
    Set<String> failed = failures(drill);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(most);
    breaks(drill, 1, RebootMishaps.Kind.FAIL);
    client.promote();
    drill.advance(1, MINUTES);
    client.start();
    drill.advance(5, HOURS);

    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(client.state().isDisabled()).isTrue();
    assertThat(failed).hasSizeBetween(3, 3 - 1 + most);
  }

  /** The active configuration is staged everywhere: any reboot boots it, whoever asks for it. */
  @ParameterizedTest
  @CsvSource({
    "FAIL, REBOOT, 2, 3",
    "FAIL, POWER_RESET, 2, 3",
    "HANG, REBOOT, 2, 0",
    "HANG, POWER_RESET, 0, 0",
    "NOT_READY, REBOOT, 2, 0"
  })
  void rebootsIntoABrokenConfigurationThatIsStagedAreCounted(
      RebootMishaps.Kind kind, LifecycleState state, int hoursApart, int lost) {
    // No other machine is there that would show the fault when it is delivered.
    Drill drill = drill(1, 8);
    drill.pool("a").target(8).toRest();
    List<String> nodes = drill.pool("a").nodes().stream().map(Node::name).limit(6).toList();
    Set<String> failed = failures(drill);
    RolloutClient client = new RolloutClient(drill, "a");
    breaks(drill, 1, kind);
    client.promote();
    drill.advance(1, MINUTES);
    RebootClient reboots = new RebootClient(drill);
    for (String node : nodes) {
      reboots.request(node, state);
      drill.advance(hoursApart, HOURS);
    }
    drill.advance(4, HOURS);

    assertThat(client.state().isDisabled()).isTrue();
    assertThat(failed).hasSize(lost);
    assertThat(drill.pool("a").nodes()).hasSize(8 - lost).noneMatch(Node::cordoned);
    assertThat(drill.world.cluster().hosts().values())
        .noneMatch(host -> host.deliveries().isSetAside());
  }

  /** Advances time while the machines of these Nodes boot well, and into another configuration. */
  private static void astray(Drill drill, List<String> nodes, String configuration, int minutes) {
    WorldCluster cluster = drill.world.cluster();
    for (int second = 0; second < minutes * 60; second++) {
      drill.advance(1, SECONDS);
      for (String node : nodes) {
        if (Objects.requireNonNull(cluster.hosts().get(node))
            .report()
            .bootedConfiguration()
            .equals(configuration)) {
          cluster.fleetOwner().bootsInto(node, FIRST, drill.world.instant());
        }
      }
    }
  }

  private static int powerCycles(Drill drill, String node) {
    return drill.world.cluster().powerCycles().getOrDefault(node, 0);
  }

  /** The odd Node is the last one of the rollout, or others boot well between its attempts. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aNodeThatBootsIntoAnotherConfigurationIsNotRebootedWithoutEndAndStays(int which) {
    Drill drill = drill(1, 8);
    drill.pool("a").target(4).toRest();
    String odd = drill.pool("a").nodes().get(which).name();
    RolloutClient client = new RolloutClient(drill, "a");
    client.rollOut(SECOND);
    astray(drill, List.of(odd), SECOND, 4 * 60);

    assertThat(client.booted(SECOND)).isEqualTo(3);
    assertThat(powerCycles(drill, odd)).isEqualTo(3);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(client.state().rollout().reason()).contains(odd);
    assertThat(client.state().isDisabled()).isFalse();
    assertThat(drill.pool("a").nodes()).hasSize(4).noneMatch(Node::cordoned);
    assertThat(drill.world.cluster().nodes()).containsKey(odd);

    client.start();
    astray(drill, List.of(odd), SECOND, 4 * 60);
    assertThat(powerCycles(drill, odd)).isBetween(4, 6);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
  }

  @Test
  void aFleetThatBootsAnotherConfigurationEverywherePausesTheRollout() {
    Drill drill = drill(2, 12);
    drill.pool("a").target(8).toRest();
    List<String> nodes = drill.pool("a").nodes().stream().map(Node::name).toList();
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(2);
    client.rollOut(SECOND);
    astray(drill, nodes, SECOND, 4 * 60);

    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(client.state().rollout().reason()).contains("ended in another configuration");
    assertThat(client.state().isDisabled()).isFalse();
    assertThat(drill.pool("a").nodes()).hasSize(8).noneMatch(Node::cordoned);
    int cycles = nodes.stream().mapToInt(node -> powerCycles(drill, node)).sum();
    assertThat(cycles).isLessThanOrEqualTo(3 - 1 + 2);
    drill.pool("a").target(9).toRest();
    assertThat(drill.pool("a").nodes()).hasSize(9);
  }

  /** The configuration failed in pool a, and is the newest one that the fleet offers. */
  private static Drill disabledInAnotherPool() {
    Drill drill = drill(3, 24);
    drill.pool("a").target(6).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    breaks(drill, 1, RebootMishaps.Kind.FAIL);
    client.promote();
    drill.advance(1, MINUTES);
    client.start();
    drill.advance(5, HOURS);
    assertThat(client.state().isDisabled()).isTrue();
    return drill;
  }

  @Test
  void aConfigurationThatAnotherPoolDisabledIsNotTheFirstOneOfANewPool() {
    Drill drill = disabledInAnotherPool();
    Set<String> failed = failures(drill);
    String broken = new RolloutClient(drill, "a").state().profile();
    drill.pool("b").target(6).toRest();

    assertThat(failed).isEmpty();
    assertThat(drill.pool("b").seen().status().nodeProfile()).isEqualTo(FIRST);
    assertThat(drill.pool("b").nodes()).hasSize(6);
    assertThat(drill.pool("b").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains(
            "%s is not chosen, since it is disabled in NodePool a; the newest other one is %s."
                .formatted(broken, FIRST));
  }
}
