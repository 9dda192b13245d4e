package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Repairs beside what else happens to a machine and its pool. */
@Tag("world")
class RepairBesideTest extends RepairWorld {
  private static final String SECOND = "ncore-2";

  RepairBesideTest() {
    super(37);
  }

  @Test
  void aRepairedNodeProvesNothingOfAConfiguration() {
    List<Node> nodes = grown(6);
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withCanary(1).withSoak(Duration.ofHours(1)));
    client.release(SECOND);
    drill.advance(1, MINUTES);
    client.promote();
    drill.advance(1, MINUTES);
    Node faulty = nodes.getFirst();
    report(faulty, REBOOT_NOW);
    drill.advance(20, MINUTES);
    signals.withdraw(faulty.name(), key(REBOOT_NOW));
    drill.advance(30, MINUTES);
    assertThat(host(faulty).report().bootedConfiguration()).isEqualTo(SECOND);
    assertThat(client.booted(SECOND)).isOne();

    client.start();
    drill.advance(30, MINUTES);
    // The one that was repaired, and the canary.
    assertThat(client.booted(SECOND)).isEqualTo(2);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.RUNNING);

    drill.advance(8, HOURS);
    assertThat(client.booted(SECOND)).isEqualTo(6);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }

  @Test
  void anAlertDuringABootThatWasAskedForBringsNoFurtherBoot() {
    Node node = grown();
    new RebootClient(drill).request(node.name(), LifecycleState.REBOOT);
    drill.advance(3, MINUTES);
    assertThat(powerCycles(node)).isOne();
    assertThat(present(node).ready()).isFalse();

    report(node, REBOOT_NOW);
    drill.advance(8, MINUTES);
    signals.withdraw(node.name(), key(REBOOT_NOW));
    drill.advance(2, HOURS);
    assertThat(powerCycles(node)).isOne();
    assertThat(present(node).ready()).isTrue();
    assertThat(present(node).cordoned()).isFalse();
  }

  @Test
  void aHostThatIsSetAsideForFailedBootsOfAConfigurationGetsNoFurtherOneForItsAlert() {
    List<Node> nodes = grown(6);
    RolloutClient client = new RolloutClient(drill, "a");
    client.release(SECOND);
    drill.advance(1, MINUTES);
    client.promote();
    drill.advance(1, MINUTES);
    nodes.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    client.start();
    drill.advance(10, MINUTES);
    Node faulty = nodes.stream().filter(node -> powerCycles(node) > 0).findFirst().orElseThrow();
    report(faulty, REBOOT_NOW);
    drill.advance(24, HOURS);

    assertThat(powerCycles(faulty)).isEqualTo(3);
    assertThat(host(faulty).deliveries().setAside())
        .isEqualTo("its machine did not come back from its reboot, in 3 attempts");
  }

  /** An older operator cannot read the record of a cause that it does not know. */
  @Test
  void anOperatorThatCannotReadARepairLeavesTheNodeAndANewerOneGoesOn() {
    List<Node> nodes = grown(2);
    Node node = nodes.getFirst();
    Pod pod = work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(10, MINUTES);
    assertThat(present(node).cordoned()).isTrue();

    cluster.garble(WorldCluster.Kind.NODES, node.name(), true);
    drill.world.operators().handOver(Duration.ofMinutes(1));
    cluster.workloads().finish(pod.uid());
    drill.advance(2, HOURS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
    assertThat(pool.message(PoolCondition.AT_TARGET)).contains(node.name());

    cluster.garble(WorldCluster.Kind.NODES, node.name(), false);
    drill.advance(2, HOURS);
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isTrue();
    assertThat(pool.nodes()).hasSize(2);
  }
}
