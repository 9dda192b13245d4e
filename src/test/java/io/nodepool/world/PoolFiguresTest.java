package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.state.PoolEntry;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.PoolPlan.InRollout;
import io.nodepool.plan.PoolPlan.Limited;
import io.nodepool.plan.PoolPlan.Queue;
import io.nodepool.plan.PoolPlan.Use;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What metrics serve of limits, queues, rollouts and blocked drains, compared with what happened.
 */
@Tag("world")
class PoolFiguresTest {
  private final Drill drill = Drill.calm(4);

  private PoolEntry.Figures figures(String pool) {
    return drill.world.operators().states().findFirst().orElseThrow().snapshots().figures().stream()
        .filter(each -> each.name().equals(pool))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aPoolThatWaitsForMachinesHasItsPlaceInTheQueue() {
    drill.pool("first").target(8).toRest();
    drill.advance(10, MINUTES);
    Instant asked = drill.world.instant();
    drill
        .world
        .cluster()
        .fleetOwner()
        .offer(OfferChange.quota(drill.world.cluster().offer(), Drill.GPU, 40));
    drill.pool("second").target(6).advance(10, MINUTES);
    drill.pool("third").target(2).advance(10, MINUTES);

    assertThat(figures("first").plan().queue()).isEmpty();
    assertThat(figures("second").plan().queue().map(Queue::position)).contains(1);
    assertThat(figures("third").plan().queue().map(Queue::position)).contains(2);
    assertThat(figures("second").plan().queue().orElseThrow().since())
        .isBetween(asked, asked.plusSeconds(5));

    drill.pool("first").target(0).advance(3, MINUTES).advance(90, MINUTES);
    assertThat(figures("third").plan().queue()).isEmpty();
  }

  @Test
  void aRolloutSaysWhatKeepsItFromTheOtherNodes() {
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(6).toRest();
    List<Node> nodes = pool.nodes();
    nodes.subList(0, 2).forEach(node -> work(node));
    drill.world.cluster().nodeClients().cordon(nodes.get(2).name(), true);
    drill.advance(1, MINUTES);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(2);
    client.rollOut("ncore-2");
    drill.advance(180, MINUTES);

    assertThat(client.phase()).isEqualTo(RolloutState.Phase.RUNNING);
    InRollout rollout = figures("a").plan().rollout().orElseThrow();
    assertThat(rollout.upToDate()).isEqualTo((int) client.booted("ncore-2")).isEqualTo(3);
    assertThat(List.of(rollout.busy(), rollout.cordoned(), rollout.underWay()))
        .containsExactly(2, 1, 0);
    // The cordoned one tenants cannot use.
    assertThat(figures("a").plan().limits())
        .containsEntry(Limited.ROLLOUT_UNAVAILABLE, new Use(1, 2))
        .containsEntry(Limited.REPAIRS_UNAVAILABLE, new Use(1, 2));
    assertThat(figures("a").mostInFlight()).isOne();
  }

  private Pod work(Node node) {
    return drill.world.cluster().bindPod("default", "work-" + node.name(), node.name(), "Job");
  }

  @Test
  void aBlockedDrainSaysWhichKindOfPodBlocksIt() {
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(2).toRest();
    pool.strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    List<Pod> pods = pool.nodes().stream().map(this::work).toList();
    pods.forEach(pod -> drill.world.cluster().workloads().guard(pod.uid()));
    drill.advance(1, MINUTES);
    pool.target(1).advance(5, MINUTES);

    assertThat(figures("a").blocked()).isEqualTo(Map.of("Job", 1));
    drill.world.cluster().workloads().allowAll();
    drill.advance(5, MINUTES);
    assertThat(figures("a").blocked()).isEmpty();
    assertThat(figures("a").inFlight().all()).isZero();
  }
}
