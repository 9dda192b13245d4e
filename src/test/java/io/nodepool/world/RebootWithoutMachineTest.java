package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests Nodes whose Hosts are deleted while they are rebooted. */
class RebootWithoutMachineTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();

  private String rebooting() {
    drill.pool("a").target(1).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    RebootClient client = new RebootClient(drill);
    client.requestNow(node, LifecycleState.REBOOT);
    client.untilBooting(node);
    drill.advance(2, MINUTES);
    return node;
  }

  @Test
  void anIdleNodeLeaves() {
    String node = rebooting();
    cluster.fleetOwner().delete(node);
    drill.toRest();
    assertThat(cluster.nodes()).doesNotContainKey(node);
  }

  @Test
  void tenantWorkKeepsItAlsoAfterAnImmediateReboot() {
    String node = rebooting();
    Pod pod = cluster.bindPod("default", "late", node, "ReplicaSet");
    cluster.fleetOwner().delete(node);
    drill.advance(3, HOURS);
    assertThat(cluster.nodes()).containsKey(node);

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(cluster.nodes()).doesNotContainKey(node);
  }

  @Test
  void theNoticeOfItsPreemptionEndsWithItsHost() {
    drill.pool("a").spot(1).toRest();
    String node = rebooting();
    drill.reclaim(node).advance(2, SECONDS);
    cluster.bindPod("default", "late", node, "ReplicaSet");
    cluster.fleetOwner().delete(node);
    drill.advance(1, MINUTES);
    Optional<Node.Removing> says = Objects.requireNonNull(cluster.nodes().get(node)).removing();
    assertThat(says.map(Node.Removing::message).orElse("")).doesNotContain("preempted");
  }
}
