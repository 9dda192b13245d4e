package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.PastRepair;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.snapshot.TypeHosts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was done to machines is folded from all Hosts, whoever holds them. */
class PastRepairsTest {
  private static final PoolId A = new PoolId("a", "uid-a");
  private static final PoolId B = new PoolId("b", "uid-b");
  private static final ReconcileKey OF_A = new ReconcileKey.OfPool("a");
  private static final ReconcileKey OF_B = new ReconcileKey.OfPool("b");
  private static final HostId G1 = new HostId("g1", "uid-g1");
  private static final PastRepair BOOT = entry("X", A, false);
  private static final PastRepair OUT = entry("X", A, true);
  private static final PastRepair OUT_OF_B = entry("Y", B, true);

  private final ClusterState state = ClusterStates.empty(() -> Fixtures.NOW);
  private final MemberAudit audit = new MemberAudit(state);
  private long version = 10;

  private static PastRepair entry(String alert, PoolId pool, boolean out) {
    return new PastRepair(alert, pool.uid(), Fixtures.NOW, out, false, true);
  }

  @BeforeEach
  void twoPoolsAndAHost() {
    see(new Observation.PoolSeen(Fixtures.pool(A, 1)));
    see(new Observation.PoolSeen(Fixtures.pool(B, 0)));
    see(Fixtures.running(G1, A));
    var _ = state.completed();
  }

  private Set<ReconcileKey> see(Observation seen) {
    return state.fold(seen, ClusterState.Source.WATCH);
  }

  private Set<ReconcileKey> see(Host host) {
    return see(new Observation.HostSeen(host.withVersion(version++)));
  }

  private static Host with(Host host, PastRepair... past) {
    return host.withOccupancy(host.occupancy().withPast(List.of(past)));
  }

  private static Host free(Host held) {
    return held.withOccupancy(held.occupancy().released());
  }

  private Map<String, List<PastRepair>> past(PoolId pool) {
    return state.snapshots().pool(pool.name()).orElseThrow().holding().past().byHost();
  }

  private TypeHosts.ZoneHosts zone(String zone) {
    TypeHosts hosts = state.snapshots().pool("b").orElseThrow().availability().ofType();
    assertThat(hosts).isEqualTo(state.snapshots().pool("a").orElseThrow().availability().ofType());
    audit.verify();
    return hosts.in(zone);
  }

  private TypeHosts.ZoneHosts zone() {
    return zone("US-EAST-04A");
  }

  @Test
  void whatWasDoneForAPoolCountsForItWhoeverHoldsTheHost() {
    Host held = with(Fixtures.running(G1, A), BOOT, OUT_OF_B);
    assertThat(see(held)).contains(OF_A, OF_B);
    assertThat(past(A)).isEqualTo(Map.of("uid-g1", List.of(BOOT)));
    assertThat(past(B)).isEqualTo(Map.of("uid-g1", List.of(OUT_OF_B)));

    see(free(held));
    assertThat(past(A)).isEqualTo(Map.of("uid-g1", List.of(BOOT)));
    see(with(Fixtures.running(G1, B), BOOT, OUT_OF_B));
    assertThat(past(A)).isEqualTo(Map.of("uid-g1", List.of(BOOT)));
    assertThat(past(B)).isEqualTo(Map.of("uid-g1", List.of(OUT_OF_B)));
  }

  @Test
  void onlyAPoolWhoseOwnChangesIsWoken() {
    Host host = free(Fixtures.running(G1, A));
    see(host);

    assertThat(see(with(host, BOOT))).contains(OF_A).doesNotContain(OF_B);
    assertThat(see(with(host, BOOT))).doesNotContain(OF_A, OF_B);
    assertThat(see(with(host, BOOT, OUT_OF_B))).contains(OF_B).doesNotContain(OF_A);
    assertThat(see(with(host, OUT_OF_B))).contains(OF_A).doesNotContain(OF_B);
    assertThat(past(A)).isEmpty();
    assertThat(see(host)).contains(OF_B).doesNotContain(OF_A);
    assertThat(past(B)).isEmpty();
  }

  @Test
  void whatWasDoneToAHostGoesWithIt() {
    Host host = free(with(Fixtures.running(G1, A), OUT));
    see(host);
    assertThat(zone()).isEqualTo(new TypeHosts.ZoneHosts(1, zone().outs()));
    assertThat(zone().outs()).isEqualTo(Map.of("uid-g1", List.of(OUT)));

    assertThat(see(new Observation.HostGone(G1, version++))).contains(OF_A).doesNotContain(OF_B);
    assertThat(past(A)).isEmpty();
    assertThat(zone()).isEqualTo(TypeHosts.ZoneHosts.NONE);
  }

  @Test
  void aHostThatTakesTheNameOfAnotherOneIsAnotherOne() {
    see(with(Fixtures.running(G1, A), OUT));
    Host other = free(Fixtures.running(new HostId("g1", "uid-2"), A));

    assertThat(see(with(other, OUT))).contains(OF_A);
    assertThat(past(A)).isEqualTo(Map.of("uid-2", List.of(OUT)));
    assertThat(zone().hosts()).isEqualTo(1);
    assertThat(zone().outs()).isEqualTo(Map.of("uid-2", List.of(OUT)));
  }

  @Test
  void theHostsOfATypeCountByTheirZones() {
    Host first = Fixtures.running(G1, A);
    Machine there = first.machine();
    Host second = free(Fixtures.running(new HostId("g2", "uid-g2"), A));
    Host third = free(Fixtures.running(new HostId("g3", "uid-g3"), A));
    see(with(first, BOOT, OUT_OF_B));
    see(with(second, BOOT));
    see(
        with(
            third.withMachine(
                new Machine(
                    there.instanceType(),
                    new Machine.Location("elsewhere", "", "1", "r1", 1),
                    there.interconnect())),
            OUT));
    see(
        new Host(
            new HostId("g4", "uid-g4"),
            1,
            Fixtures.machine("another", "1", 1),
            third.occupancy(),
            third.deliveries(),
            third.report()));

    assertThat(zone().hosts()).isEqualTo(2);
    assertThat(zone().outs()).isEqualTo(Map.of("uid-g1", List.of(OUT_OF_B)));
    assertThat(zone("elsewhere").hosts()).isEqualTo(1);
    assertThat(zone("elsewhere").outs()).isEqualTo(Map.of("uid-g3", List.of(OUT)));
    assertThat(zone("nowhere")).isEqualTo(TypeHosts.ZoneHosts.NONE);
  }

  @Test
  void aRecordThatIsNotCountedIsFound() {
    Host host = with(Fixtures.running(G1, A), OUT);
    see(host);
    audit.verify();
    see(free(host));
    state.snapshots().past().update(Optional.of(host), Optional.of(with(host, BOOT)));

    assertThatThrownBy(audit::verify).isInstanceOf(IllegalStateException.class);
  }
}
