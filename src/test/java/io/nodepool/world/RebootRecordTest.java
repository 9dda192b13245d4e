package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.BootRequest;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests clients that remove the records of reboots. */
class RebootRecordTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();
  private final RebootClient client = new RebootClient(drill);

  private String grown() {
    drill.pool("a").target(1).toRest();
    return drill.pool("a").nodes().getFirst().name();
  }

  private Node node(String name) {
    return Optional.ofNullable(cluster.nodes().get(name)).orElseThrow();
  }

  @Test
  void aNodeWhoseRebootIsRecordedNoMoreReturnsToProduction() {
    String name = grown();
    client.request(name, LifecycleState.REBOOT);
    client.untilBooting(name);
    drill.advance(20, SECONDS);
    client.cancel(name);
    cluster.nodeClients().stripRemoval(name);
    cluster.nodeClients().cordon(name, false);
    drill.toRest();

    assertThat(node(name).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(node(name).status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
  }

  @Test
  void aBootThatTheFleetHasNotBegunIsTakenBackWithTheRecordOfItsReboot() {
    drill.world.fleetFaults(new FleetFaults(0, 0, 0, 0, 0, 100));
    String name = grown();
    client.request(name, LifecycleState.REBOOT);
    drill.advance(30, SECONDS);
    assertThat(Objects.requireNonNull(cluster.hosts().get(name)).isRebooting()).isTrue();
    client.cancel(name);
    cluster.nodeClients().stripRemoval(name);
    cluster.nodeClients().cordon(name, false);
    drill.advance(2, MINUTES);

    assertThat(node(name).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(node(name).status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
    drill.toRest();
    assertThat(cluster.powerCycles()).doesNotContainKey(name);
  }

  @Test
  void aBootThatIsDoneWithoutAnIdIsTakenBackWithTheNodeThatItWasFor() {
    drill.world.fleetFaults(new FleetFaults(100, 0, 0, 0, 0, 0));
    String name = grown();
    client.request(name, LifecycleState.REBOOT);
    drill.advance(1, MINUTES);
    cluster.nodeClients().delete(name);
    drill.toRest();

    assertThat(cluster.powerCycles()).containsEntry(name, 1);
    assertThat(node(name).status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
    assertThat(boot(name).from()).isEqualTo(BootRequest.TAKEN_BACK);

    client.request(name, LifecycleState.REBOOT);
    drill.advance(1, MINUTES);
    assertThat(boot(name).attempt()).isEqualTo(1);
    assertThat(boot(name).history()).hasSize(1);
  }

  private BootRequest boot(String name) {
    return Objects.requireNonNull(cluster.hosts().get(name)).boot().orElseThrow();
  }

  @Test
  void aRebootAfterTheRecordOfTheLastOneWasRemovedIsAnotherPowerCycle() {
    String name = grown();
    client.request(name, LifecycleState.REBOOT);
    drill.toRest();
    cluster.nodeClients().stripRemoval(name);
    drill.advance(1, MINUTES);
    client.request(name, LifecycleState.REBOOT);
    drill.toRest();

    assertThat(cluster.powerCycles()).containsEntry(name, 2);
  }
}
