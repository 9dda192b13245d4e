package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests Nodes whose Hosts are deleted while a rollout has cordoned them and nothing is booted. */
class RolloutWithoutMachineTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();

  /** A Node whose turn it is, and which is not committed yet. */
  private String turn(boolean evict) {
    drill.pool("a").target(2).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withEvict(evict));
    RolloutWatch watch = RolloutWatch.ofNodes(drill);
    client.rollOut("ncore-2.11.0");
    while (watch.begun.isEmpty()) {
      drill.world.advance(Duration.ofMillis(200));
    }
    return watch.begun.getFirst();
  }

  private Optional<Node> node(String name) {
    return Optional.ofNullable(cluster.nodes().get(name));
  }

  @Test
  void anIdleNodeLeaves() {
    String node = turn(false);
    cluster.fleetOwner().delete(node);
    drill.advance(3, HOURS);
    assertThat(node(node)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBusyNodeIsUncordonedAndLeavesOnceItsWorkEnds(boolean evict) {
    String node = turn(evict);
    Pod pod = cluster.bindPod("default", "late", node, "ReplicaSet");
    cluster.fleetOwner().delete(node);
    drill.advance(30, MINUTES);
    assertThat(node(node).filter(Node::cordoned)).isEmpty();
    assertThat(cluster.pods()).hasSize(1);

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.advance(1, HOURS);
    assertThat(node(node)).isEmpty();
  }

  @Test
  void aBusyNodeThatIsDrainedIsUncordonedAndItsWorkStays() {
    drill.pool("a").target(1).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    Pod pod = cluster.bindPod("default", "guarded", node, "ReplicaSet");
    cluster.workloads().guard(pod.uid());
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withEvict(true));
    client.rollOut("ncore-2.11.0");
    while (node(node)
        .flatMap(Node::disruption)
        .filter(Disruption.Committed.class::isInstance)
        .isEmpty()) {
      drill.world.advance(Duration.ofMillis(200));
    }
    cluster.fleetOwner().delete(node);
    drill.advance(2, HOURS);
    assertThat(node(node).filter(Node::cordoned)).isEmpty();
    assertThat(node(node).flatMap(Node::disruption).filter(Disruption::isActive)).isEmpty();
    assertThat(cluster.pods()).containsKey(pod.uid());

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.advance(1, HOURS);
    assertThat(node(node)).isEmpty();
  }

  @Test
  void aNodeWhoseMachineWasReplacedLeaves() {
    String node = turn(false);
    String uid = node(node).orElseThrow().uid();
    cluster.fleetOwner().replace(node, drill.world.instant());
    drill.advance(3, HOURS);
    assertThat(node(node).filter(seen -> seen.uid().equals(uid))).isEmpty();
  }
}
