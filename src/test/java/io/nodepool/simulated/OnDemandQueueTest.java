package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.model.Fixtures;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.model.repair.RepairState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which machines on-demand pools need back from spot pools. */
class OnDemandQueueTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static Pool pool(String name, String computeClass, int granted, int queued) {
    PoolSpec spec = Fixtures.spec(granted);
    PoolStatus none = PoolStatus.NONE;
    return new Pool(
        new PoolId(name, "uid-" + name),
        1,
        1,
        NOW,
        Optional.empty(),
        true,
        spec.withMachines(spec.machines().withComputeClass(computeClass)),
        new PoolStatus(
            1,
            new PoolStatus.NodeCounts(
                granted, granted - queued, 0, queued, Optional.empty(), Map.of()),
            RemovalBatch.NONE,
            FailedReboots.NONE,
            RepairState.NONE,
            none.configuration(),
            none.nodeMetadata(),
            Optional.of(new Growth(NOW, granted, granted, 0)),
            Map.of(),
            none.events(),
            Optional.empty()));
  }

  private static Pool admitting(Pool pool, String affinity) {
    PoolSpec spec = pool.spec();
    return pool.withSpec(
        spec.withMachines(spec.machines().withAffinity(AffinityText.read(affinity))));
  }

  /**
   * @param computeClass the class of the pool {@code holder}; empty text if none holds it
   */
  private static Host host(int slot, String computeClass, String holder) {
    HostId id = new HostId("g" + slot, "uid-g" + slot);
    Optional<Assignment> assignment =
        computeClass.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new Assignment(
                    new PoolId(holder, "uid-" + holder),
                    computeClass,
                    "op",
                    NOW,
                    NodeTemplate.EMPTY));
    return new Host(
        id,
        1,
        Fixtures.machine(Fixtures.TYPE, slot < 5 ? "1" : "2", slot),
        Host.Occupancy.none(1).withAssignment(assignment),
        DeliveryHistory.CLEAN,
        new Host.Report(computeClass.isEmpty() ? HostPhase.FREE : HostPhase.RUNNING, 1, "", "", NOW)
            .withSpot(Host.Spot.OFFERED));
  }

  private static Host spot(int slot) {
    return host(slot, "spot", "s");
  }

  private static Host noticed(Host host) {
    Reclaim notice = new Reclaim(NOW, NOW.plusSeconds(420), Reclaims.Cause.ON_DEMAND.reason());
    return host.withReport(
        host.report().withSpot(Host.Spot.OFFERED.withReclaim(Optional.of(notice))));
  }

  private static Set<String> needed(Pool pool, Host... hosts) {
    return OnDemandQueue.needed(List.of(pool), List.of(hosts));
  }

  @Test
  void asManyMachinesAreNeededAsTheQueueLacksInTheOrderOfRacksAndSlots() {
    Pool waiting = pool("d", "default", 2, 2);

    assertThat(needed(waiting, spot(3), spot(2), spot(1))).containsExactly("g1", "g2");
    assertThat(needed(waiting, spot(1))).containsExactly("g1");
    assertThat(needed(pool("d", "default", 2, 0), spot(1))).isEmpty();
    assertThat(needed(pool("s2", "spot", 2, 2), spot(1))).isEmpty();
    assertThat(needed(waiting.withDeletionRequested(NOW), spot(1))).isEmpty();
  }

  @Test
  void freeMachinesAndThoseBeingReturnedAreNotReclaimedFor() {
    Pool waiting = pool("d", "default", 3, 3);
    Host off = spot(2).withOccupancy(spot(2).occupancy().withPower(Host.Power.OFF));

    assertThat(needed(waiting, spot(1), off, host(3, "", ""), spot(4))).containsExactly("g1");
    assertThat(needed(waiting, off, host(3, "", ""))).isEmpty();
  }

  @Test
  void aMachineThatWasGivenToThePoolMeanwhileCountsBeforeItsStatusDoes() {
    Pool waiting = pool("d", "default", 2, 2);

    assertThat(needed(waiting, host(9, "default", "d"), spot(1), spot(2))).containsExactly("g1");
  }

  @Test
  void machinesUnderNoticeAreChosenFirstAndStayChosenWhenTheyAreFree() {
    Pool waiting = pool("d", "default", 1, 1);

    assertThat(needed(waiting, spot(1), noticed(spot(3)))).containsExactly("g3");
    assertThat(needed(waiting, spot(1), noticed(host(3, "", "")))).containsExactly("g3");
  }

  @Test
  void machinesThatHaveNotBootedAreChosenBeforeRunningOnes() {
    Host booting = spot(4);
    booting =
        booting.withReport(
            new Host.Report(HostPhase.FREE, 0, "", "", NOW).withSpot(Host.Spot.OFFERED));

    assertThat(needed(pool("d", "default", 1, 1), spot(1), booting)).containsExactly("g4");
  }

  @Test
  void onlyMachinesThatThePoolAdmitsAreReclaimedForIt() {
    Pool choosy = admitting(pool("d", "default", 2, 2), "node.coreweave.cloud/rack=2");
    Pool cpu = pool("c", "default", 2, 2);
    PoolSpec spec = cpu.spec();

    assertThat(needed(choosy, host(1, "", ""), spot(2), spot(6))).containsExactly("g6");
    assertThat(
            needed(
                cpu.withSpec(spec.withMachines(spec.machines().withInstanceType("turin-gp"))),
                spot(1)))
        .isEmpty();
  }

  @Test
  void failedMachinesAndThoseSetAsideAreOfNoUse() {
    Host failed = spot(1).withReport(new Host.Report(HostPhase.FAILED, 1, "", "", NOW));
    Host aside = host(2, "", "").withDeliveries(new DeliveryHistory(Optional.empty(), "broken"));

    assertThat(needed(pool("d", "default", 1, 1), failed, aside, spot(3))).containsExactly("g3");
  }

  @Test
  void theSameObjectsInAnyOrderGiveTheSameMachines() {
    List<Pool> pools =
        new ArrayList<>(
            List.of(
                pool("a", "default", 2, 2),
                admitting(pool("b", "default", 2, 1), "node.coreweave.cloud/rack=2"),
                pool("s", "spot", 9, 1)));
    List<Host> hosts = new ArrayList<>(List.of(host(0, "", ""), noticed(spot(7))));
    for (int slot = 1; slot < 7; slot++) {
      hosts.add(spot(slot));
    }
    Set<String> first = OnDemandQueue.needed(pools, hosts);
    assertThat(first).hasSize(2).contains("g7");

    Random random = new Random(5);
    for (int round = 0; round < 20; round++) {
      Collections.shuffle(pools, random);
      Collections.shuffle(hosts, random);
      assertThat(OnDemandQueue.needed(pools, hosts)).isEqualTo(first);
    }
  }
}
