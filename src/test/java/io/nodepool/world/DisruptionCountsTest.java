package io.nodepool.world;

import static io.nodepool.vocabulary.DisruptionOutcome.COMPLETED;
import static io.nodepool.vocabulary.DisruptionOutcome.CUT_OFF;
import static io.nodepool.vocabulary.DisruptionOutcome.FAILED;
import static io.nodepool.vocabulary.DisruptionOutcome.SUPERSEDED;
import static io.nodepool.vocabulary.DisruptionOutcome.WITHDRAWN;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.DisruptionCounts;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.DisruptionOutcome;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests which ends of disruptions are counted, each once (decision D225). */
class DisruptionCountsTest {
  private final Drill drill = Drill.calm(31);
  private final Drill.PoolDrill pool = drill.pool("a");

  private DisruptionCounts counts() {
    return drill.world.operators().disruptions().findFirst().orElseThrow();
  }

  private Map<DisruptionCounts.Kind, Long> ended() {
    return counts().ended();
  }

  private static DisruptionCounts.Kind kind(String cause, DisruptionOutcome outcome) {
    return new DisruptionCounts.Kind(cause, outcome);
  }

  private Node spot(PoolSpec.ScaleDownStrategy strategy) {
    Drill.machines(Drill.GPU)
        .forEach(host -> drill.world.cluster().fleetOwner().offerSpot(host, true));
    pool.spot(1);
    pool.strategy(strategy).toRest();
    return pool.nodes().getFirst();
  }

  private Pod work(Node node) {
    Pod pod = drill.world.cluster().bindPod("default", "train", node.name(), "ReplicaSet");
    drill.advance(10, SECONDS);
    return pod;
  }

  @Test
  void everyNodeThatLeftIsCountedForItsCause() {
    pool.target(3).toRest();
    pool.target(1).toRest();
    assertThat(ended()).isEqualTo(Map.of(kind("ScaleDown", COMPLETED), 2L));

    pool.delete().toRest();
    assertThat(ended())
        .isEqualTo(Map.of(kind("ScaleDown", COMPLETED), 2L, kind("PoolDeletion", COMPLETED), 1L));
  }

  @Test
  void aCauseThatIsTakenBackIsCountedAsWithdrawn() {
    pool.target(1).toRest();
    pool.target(0).advance(2, SECONDS);
    assertThat(pool.nodes()).allMatch(Node::cordoned);
    pool.target(1).toRest();

    assertThat(ended()).isEqualTo(Map.of(kind("ScaleDown", WITHDRAWN), 1L));
  }

  @Test
  void aPreemptionInTimeIsCompletedAndOneThatCutsPodsOffSaysHowMany() {
    drill.reclaim(spot(PoolSpec.ScaleDownStrategy.IDLE_ONLY).name()).toRest();
    assertThat(ended()).isEqualTo(Map.of(kind("Preemption", COMPLETED), 1L));

    Node next = pool.nodes().getFirst();
    Pod pod = work(next);
    drill.world.cluster().workloads().keep(pod.uid());
    drill.world.cluster().workloads().grace(pod.uid(), Duration.ofHours(1));
    drill.reclaim(next.name()).toRest();
    assertThat(ended())
        .isEqualTo(Map.of(kind("Preemption", COMPLETED), 1L, kind("Preemption", CUT_OFF), 1L));
    assertThat(counts().podsCutOff("Preemption")).isOne();
    assertThat(counts().podsCutOff("ScaleDown")).isZero();
  }

  @Test
  void aPreemptionThatIsTakenBackIsNoneThatEnded() {
    Node node = spot(PoolSpec.ScaleDownStrategy.IDLE_ONLY);
    drill.reclaim(node.name()).advance(1, MINUTES).withdraw(node.name()).toRest();

    assertThat(ended()).isEqualTo(Map.of(kind("Preemption", WITHDRAWN), 1L));
  }

  @Test
  void aScaleDownThatAPreemptionReplacesIsSuperseded() {
    Node node = spot(PoolSpec.ScaleDownStrategy.IDLE_ONLY);
    pool.target(0).advance(2, SECONDS);
    drill.reclaim(node.name()).toRest();

    assertThat(ended())
        .isEqualTo(Map.of(kind("ScaleDown", SUPERSEDED), 1L, kind("Preemption", COMPLETED), 1L));
  }

  /** The drain for the scale-down ends before that for the preemption is in progress. */
  @Test
  void aPreemptionOfANodeThatIsGoneBeforeItIsInProgressIsSuperseded() {
    Node node = spot(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    Pod pod = work(node);
    drill.world.cluster().workloads().grace(pod.uid(), Duration.ofMinutes(1));
    pool.target(0).advance(20, SECONDS);
    assertThat(pool.nodes()).allMatch(Node::isDraining);
    drill.reclaim(node.name()).toRest();

    assertThat(ended())
        .isEqualTo(Map.of(kind("ScaleDown", COMPLETED), 1L, kind("Preemption", SUPERSEDED), 1L));
  }

  @Test
  void aRebootIsCountedWhenTheNodeIsBack() {
    pool.target(1).toRest();
    String node = pool.nodes().getFirst().name();
    RebootClient client = new RebootClient(drill);
    client.request(node, LifecycleState.REBOOT);
    client.untilBooting(node);
    assertThat(ended()).isEmpty();
    drill.toRest();
    assertThat(ended()).isEqualTo(Map.of(kind("Reboot", COMPLETED), 1L));
  }

  @Test
  void aRebootThatTheFleetStopsToOfferHasFailed() {
    pool.target(1).toRest();
    String node = pool.nodes().getFirst().name();
    work(pool.nodes().getFirst());
    new RebootClient(drill).requestNow(node, LifecycleState.POWER_RESET);
    drill.advance(7, SECONDS);
    drill.world.cluster().fleetOwner().withdrawBoot(BootKind.POWER_RESET);
    drill.toRest();

    assertThat(ended()).isEqualTo(Map.of(kind("Reboot", FAILED), 1L));
  }
}
