package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Workload;
import io.nodepool.plan.Action;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemberAuditTest {
  private static final PoolId POOL = new PoolId("a", "pool-uid");

  private final ClusterState state = ClusterStates.empty(() -> Fixtures.NOW);
  private final MemberAudit audit = new MemberAudit(state);

  @BeforeEach
  void aPoolHoldsTwoHosts() {
    see(new Observation.PoolSeen(Fixtures.pool(POOL, 2)));
    see(host("g1", 2));
    see(host("g2", 3));
    var _ = state.completed();
  }

  private void see(Observation seen) {
    var _ = state.fold(seen, ClusterState.Source.WATCH);
  }

  private static Observation host(String name, long version) {
    Host host = Fixtures.running(new HostId(name, "uid-" + name), POOL);
    return new Observation.HostSeen(
        new Host(
            host.id(),
            version,
            host.machine(),
            host.occupancy(),
            host.deliveries(),
            host.report()));
  }

  private PoolEntry pool() {
    return Objects.requireNonNull(state.pools().find(POOL.uid()));
  }

  @Test
  void countsThatFollowEachChangeAreRight() {
    assertThatCode(audit::verify).doesNotThrowAnyException();
    see(host("g1", 4));
    assertThatCode(audit::verify).doesNotThrowAnyException();
  }

  @Test
  void aMemberThatIsNotCountedIsFound() {
    pool().changed("uid-g2", Optional.empty());
    see(host("g1", 4));
    assertThatThrownBy(audit::verify).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMemberThatIsCountedAsItWasIsFound() {
    audit.verify();
    Optional<Member> before = pool().members().find("uid-g1");
    see(host("g1", 4));
    pool().changed("uid-g1", before);
    assertThatThrownBy(audit::verify).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMemberThatIsNotCountedWithTheWriteOnItIsFound() {
    audit.verify();
    Optional<Member> before = pool().members().find("uid-g1");
    state.submitted(
        new Action.OnHost(
            new HostOperation.Stop(new HostId("g1", "uid-g1"), 1, POOL, Optional.empty())));
    assertThatCode(audit::verify).doesNotThrowAnyException();
    var _ = state.advance();
    pool().changed("uid-g1", before);
    assertThatThrownBy(audit::verify).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aChangeOfOneMemberThatIsNotCountedIsFoundAlthoughTheOthersAreRight() {
    Member member = pool().members().find("uid-g2").orElseThrow();
    pool()
        .changed(
            "uid-g2",
            Optional.of(
                Fixtures.member(
                    member.host(),
                    member.node(),
                    new Workload(1, 0, false),
                    member.underWay(),
                    member.waiting(),
                    member.findings())));
    see(host("g1", 4));
    assertThatThrownBy(audit::verify).isInstanceOf(IllegalStateException.class);
  }
}
