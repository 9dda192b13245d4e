package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.occurrence.Occurrence;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LedgersTest {
  private static final PoolId POOL = new PoolId("a", "pool-uid");
  private static final HostId HOST = new HostId("g1", "uid-g1");

  private final ClusterState state = ClusterStates.empty(() -> Fixtures.NOW);
  private final MemberAudit audit = new MemberAudit(state);
  private int version = 1;

  @BeforeEach
  void aPoolHoldsAHost() {
    see(new Observation.PoolSeen(Fixtures.pool(POOL, 1)));
    see(new Observation.HostSeen(Fixtures.running(HOST, POOL)));
    var _ = state.completed();
    state.beginLedger(POOL.name());
  }

  private void see(Observation seen) {
    var _ = state.fold(seen, ClusterState.Source.WATCH);
    audit.verify();
  }

  private void node(String uid, boolean registered) {
    Node node = Fixtures.node(HOST, uid, 1);
    see(
        new Observation.NodeSeen(
            node.withVersion(++version)
                .withStatus(NodeConditions.registered(node.status(), registered))));
  }

  private int count(Occurrence what) {
    return state.snapshots().pool(POOL.name()).orElseThrow().ledger().life().seen().of(what);
  }

  @Test
  void aNodeIsRegisteredOnceAlsoIfAnotherClientRemovesTheCondition() {
    node("n1", false);
    assertThat(count(Occurrence.REGISTERED)).isZero();
    node("n1", true);
    node("n1", false);
    node("n1", true);
    assertThat(count(Occurrence.REGISTERED)).isEqualTo(1);
  }

  @Test
  void anotherNodeOfTheSameNameIsRegisteredToo() {
    node("n1", true);
    see(new Observation.NodeGone(HOST.name(), "n1", ++version));
    assertThat(count(Occurrence.VANISHED)).isEqualTo(1);
    node("n2", true);
    assertThat(count(Occurrence.REGISTERED)).isEqualTo(2);
  }

  @Test
  void aHostThatIsDeletedTakesItsNodeOutOfThePool() {
    node("n1", true);
    see(new Observation.HostGone(HOST, ++version));
    assertThat(count(Occurrence.VANISHED)).isEqualTo(1);
  }
}
