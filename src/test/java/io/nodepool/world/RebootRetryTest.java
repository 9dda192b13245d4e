package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Pod;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldCluster;
import org.junit.jupiter.api.Test;

/** Tests Pods that reach a Node between two attempts of its reboot. */
class RebootRetryTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();

  @Test
  void aPodThatReachesTheNodeIsEvictedBeforeTheNextAttempt() {
    drill.pool("a").target(1).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    cluster.fleetOwner().nextReboot(node, RebootMishaps.Kind.VERIFICATION_FAILURE);
    RebootClient client = new RebootClient(drill);
    client.request(node, LifecycleState.REBOOT);
    client.untilBooting(node);
    drill.advance(5, MINUTES);
    Pod pod = cluster.bindPod("default", "late", node, "ReplicaSet");
    cluster.workloads().guard(pod.uid());
    drill.advance(15, MINUTES);
    assertThat(cluster.powerCycles()).containsEntry(node, 1);
    assertThat(cluster.pods()).containsKey(pod.uid());

    cluster.workloads().allowAll();
    drill.toRest();
    assertThat(cluster.pods()).doesNotContainKey(pod.uid());
    assertThat(cluster.powerCycles()).containsEntry(node, 2);
  }
}
