package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what becomes of Hosts that were set aside for a configuration that is disabled later. */
@Tag("world")
class SetAsideTest {
  private static final String NOT_BACK =
      "its machine did not come back from its reboot, in 1 attempt";

  private final Drill drill;
  private final WorldCluster cluster;

  SetAsideTest() {
    drill = Drill.with(1, Drill.racks(Drill.GPU, 1, 9), Faults.NONE, OperatorOverrides.AS_BUILT);
    cluster = drill.world.cluster();
  }

  /** A release of which the boots go wrong from this one on. */
  private void breaks(int fromBoot, RebootMishaps.Kind kind) {
    RolloutClient.publishBroken(drill, "2", fromBoot, kind);
    drill.advance(1, MINUTES);
  }

  private List<Host> setAside() {
    return cluster.hosts().values().stream()
        .filter(host -> host.deliveries().isSetAside())
        .toList();
  }

  private Host host(String name) {
    return Objects.requireNonNull(cluster.hosts().get(name));
  }

  private List<String> named(List<Host> hosts) {
    return hosts.stream().map(host -> host.id().name()).toList();
  }

  /** A machine fails in a reboot into the configuration that all run, and is repaired. */
  private String hardwareFailure() {
    Node node = drill.pool("a").nodes().getFirst();
    cluster.fleetOwner().nextReboot(node.name(), RebootMishaps.Kind.FAIL);
    new NodeStory(drill, node).request(LifecycleState.POWER_RESET);
    drill.toRest();
    assertThat(host(node.name()).deliveries().setAside()).isEqualTo(NOT_BACK);
    cluster.fleetOwner().report(node.name(), HostPhase.FREE, drill.world.instant());
    drill.toRest();
    return node.name();
  }

  /**
   * A rollout in which boots fail from this one on.
   *
   * @param most how many Nodes may be unavailable: with the machines that replace them, three have
   *     to fail until the configuration is disabled
   */
  private RolloutClient rollsOut(int fromBoot, int most) {
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(most);
    breaks(fromBoot, RebootMishaps.Kind.FAIL);
    client.promote();
    drill.advance(1, MINUTES);
    client.start();
    return client;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void hostsThatFailedInADisabledConfigurationAreTakenBackAndHardwareFailuresAreNot(int fromBoot) {
    drill.pool("a").target(8).toRest();
    String broken = hardwareFailure();
    assertThat(drill.pool("a").nodes()).hasSize(8);
    RolloutClient client = rollsOut(fromBoot, 3);
    drill.advance(8, HOURS);
    assertThat(client.state().isDisabled()).isTrue();
    assertThat(named(setAside())).containsExactly(broken);

    client.rollback();
    drill.toRest();

    assertThat(named(setAside())).containsExactly(broken);
    assertThat(drill.pool("a").nodes()).hasSize(8);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void anOperatorThatWasNotThereWhenTheyFailedTakesThemBack() {
    drill.pool("a").target(8).toRest();
    RolloutClient client = rollsOut(1, 2);
    while (setAside().isEmpty()) {
      drill.advance(1, MINUTES);
    }
    drill.world.operators().kill();
    drill.advance(1, HOURS);
    drill.world.operators().start();
    drill.advance(8, HOURS);
    assertThat(client.state().isDisabled()).isTrue();
    assertThat(setAside()).isEmpty();

    client.rollback();
    drill.toRest();

    assertThat(setAside()).isEmpty();
    assertThat(drill.pool("a").nodes()).hasSize(8);
  }

  @Test
  void aHostThatAPersonSetAsideStays() {
    drill.pool("a").target(8).toRest();
    RolloutClient client = rollsOut(1, 2);
    while (setAside().isEmpty()) {
      drill.advance(1, MINUTES);
    }
    String loaned = setAside().getFirst().id().name();
    cluster.fleetOwner().setAside(loaned, "on loan");
    drill.advance(8, HOURS);
    client.rollback();
    drill.toRest();

    assertThat(client.state().revisions()).anyMatch(each -> each.boots().disabled());
    assertThat(named(setAside())).containsExactly(loaned);
    assertThat(host(loaned).deliveries().setAside()).isEqualTo("on loan");
  }

  @Test
  void hostsThatFailedInAConfigurationThatIsNotDisabledStaySetAside() {
    drill.pool("a").target(8).toRest();
    RolloutClient client = rollsOut(1, 2);
    while (setAside().isEmpty()) {
      drill.advance(1, MINUTES);
    }
    client.rollback();
    drill.toRest();

    assertThat(client.state().revisions()).noneMatch(each -> each.boots().disabled());
    assertThat(setAside()).isNotEmpty();
  }

  @Test
  void failedDeliveriesIntoADisabledConfigurationAreForgotten() {
    drill.pool("a").target(2).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    breaks(1, RebootMishaps.Kind.HANG);
    client.promote();
    drill.advance(1, MINUTES);
    drill.pool("a").target(8);
    // A first group of one machine boots it at a time.
    drill.advance(4, HOURS);

    assertThat(client.state().isDisabled()).isTrue();
    assertThat(cluster.hosts().values())
        .allSatisfy(host -> assertThat(host.deliveries()).isEqualTo(DeliveryHistory.CLEAN));
    client.rollback();
    drill.advance(1, HOURS);
    assertThat(drill.pool("a").nodes()).hasSize(8);
  }
}
