package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests Nodes with a Pod that tolerates all taints, and whose controller replaces it on the same
 * Node as often as it ends: a drain ends all the same (decision D20).
 */
@Tag("slow")
class LatePodsTest {
  private final Drill drill = Drill.calm(23);
  private final WorldCluster cluster = drill.world.cluster();
  private final Drill.PoolDrill pool = drill.pool("a");

  private Node tolerated() {
    pool.target(1).toRest();
    pool.strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    Node node = pool.nodes().getFirst();
    cluster.watch(
        seen -> {
          if (seen instanceof Observation.PodGone(String name, String _, long _)
              && name.equals(node.name())
              && host(node).power() == Host.Power.ON) {
            replace(node);
          }
        },
        WorldCluster.Kind.PODS);
    replace(node);
    drill.advance(1, MINUTES);
    return node;
  }

  private Host host(Node node) {
    return Optional.ofNullable(cluster.hosts().get(node.name())).orElseThrow();
  }

  private void replace(Node node) {
    cluster
        .workloads()
        .bind("default", "agent", node.name(), "Deployment", Pod.Interruption.NONE, false);
  }

  private List<String> emitted(EventReason reason) {
    return drill.events(reason).map(each -> each.eventDraft().message()).toList();
  }

  @Test
  void aNodeIsStoppedTwoHoursAfterTheDeadlineOfItsDrain() {
    Node node = tolerated();
    pool.target(0).advance(149, MINUTES);
    assertThat(cluster.nodes()).containsKey(node.name());
    drill.advance(4, MINUTES);

    assertThat(cluster.nodes()).doesNotContainKey(node.name());
    assertThat(emitted(EventReason.NODE_PREPARED_FOR_TERMINATE))
        .anyMatch(text ->
            text.contains("nothing left to be evicted but 1 Pod bound after the drain's deadline"))
        .anyMatch(text -> text.contains("Deployment default/agent; its machine is stopped."));
  }

  @Test
  void aNodeIsRebootedTwoHoursAfterTheDeadlineOfItsDrain() {
    Node node = tolerated();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withEvict(true));
    client.rollOut("ncore-2.11.0");
    drill.advance(149, MINUTES);
    assertThat(cluster.powerCycles()).isEmpty();
    drill.advance(5, MINUTES);

    assertThat(cluster.powerCycles()).containsEntry(node.name(), 1);
    assertThat(emitted(EventReason.NODE_REBOOTING))
        .anyMatch(text -> text.contains("with 1 Pod, cut off by the reboot"));
    drill.toRest();
    assertThat(cluster.powerCycles()).containsEntry(node.name(), 1);
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned);
  }

  @Test
  void aNodeThatIsUncordonedIsStoppedAfterTheDeadlineToo() {
    Node node = tolerated();
    pool.target(0).advance(152, MINUTES);
    if (cluster.nodes().containsKey(node.name())) {
      cluster.nodeClients().cordon(node.name(), false);
    }
    drill.advance(2, MINUTES);

    assertThat(cluster.nodes()).doesNotContainKey(node.name());
  }

  @Test
  void aDrainBeforeItsDeadlineEvictsEachPod() {
    Node node = tolerated();
    pool.target(0).advance(10, SECONDS);
    drill.advance(5, MINUTES);

    assertThat(cluster.nodes()).containsKey(node.name());
    assertThat(cluster.appliedWrites().of("delete Pod")).isZero();
    assertThat(cluster.appliedWrites().of("evict Pod")).isBetween(2, 40);
  }
}
