package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SubmittedWritesTest {
  private static final PoolId POOL = new PoolId("a", "pool-uid");
  private static final Instant GRACE_ENDS = Fixtures.NOW.plusSeconds(30);
  private static final Action STOP_OF_ANOTHER =
      new Action.OnHost(
          new HostOperation.Stop(new HostId("g2", "uid-g2"), 1, POOL, Optional.empty()));

  private Instant now = Fixtures.NOW;
  private final ClusterState state = ClusterStates.empty(() -> now);

  @Test
  void aWriteDoesNotHideThatTheWorkOfAnotherNodeHasEnded() {
    see(new Observation.PoolSeen(Fixtures.pool(POOL, 2)));
    see(host("g1"));
    see(host("g2"));
    Node node = Fixtures.node(new HostId("g1", "uid-g1"), "node-g1", 1);
    see(
        new Observation.NodeSeen(
            node.withStatus(node.status().withReady(false, Fixtures.NOW.minusSeconds(60)))));
    see(
        new Observation.PodSeen(
            Fixtures.ending(
                Fixtures.pod("team", "train-0"),
                new Pod.Ending(GRACE_ENDS, Duration.ofSeconds(30)))));
    var _ = state.completed();
    assertThat(isBusy("uid-g1")).isTrue();

    now = GRACE_ENDS;
    state.submitted(STOP_OF_ANOTHER);

    assertThat(state.advance()).contains(new ReconcileKey.OfPool("a"));
    assertThat(isBusy("uid-g1")).isFalse();
  }

  private boolean isBusy(String hostUid) {
    return state.snapshots().pool("a").orElseThrow().members().find(hostUid).orElseThrow().isBusy();
  }

  private void see(Observation seen) {
    var _ = state.fold(seen, ClusterState.Source.WATCH);
  }

  private static Observation host(String name) {
    return new Observation.HostSeen(Fixtures.running(new HostId(name, "uid-" + name), POOL));
  }
}
