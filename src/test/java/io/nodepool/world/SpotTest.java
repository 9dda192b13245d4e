package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.Fixtures;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldFleetAdmin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests which machines spot pools are given (decisions D134 and D135). */
class SpotTest {
  private static final Duration WINDOW = Duration.ofMinutes(7);

  private final Drill drill = Drill.calm(1);
  private final List<String> machines = Drill.machines(Drill.GPU);

  private Drill.PoolDrill spotPool(String name, int target) {
    return SpotScenarios.spotPool(drill, name, target);
  }

  private WorldFleetAdmin fleet() {
    return drill.world.cluster().fleetOwner();
  }

  private static List<String> held(Drill.PoolDrill pool) {
    return pool.hosts().stream().map(host -> host.id().name()).toList();
  }

  @Test
  void aSpotPoolIsGivenOnlyMachinesThatAreOfferedAsSpot() {
    machines.subList(0, 9).forEach(host -> fleet().offerSpot(host, false));
    Drill.PoolDrill pool = spotPool("s", 2);
    drill.toRest();

    assertThat(held(pool)).containsExactly(machines.getLast());
    assertThat(pool.conditions())
        .containsEntry("Capacity", "QueuedAwaitingCapacity")
        .containsEntry("AtTarget", "UnderTarget");
    assertThat(pool.message(PoolCondition.CAPACITY))
        .isEqualTo(
            "1 Node of type gd-8xh100ib-i128 is queued until capacity offered as spot becomes available; position 1 of 1 in the queue.");

    fleet().offerSpot(machines.getFirst(), true);
    drill.toRest();
    assertThat(held(pool)).containsExactlyInAnyOrder(machines.getLast(), machines.getFirst());
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void onDemandPoolsLeaveTheMachinesThatAreOfferedAsSpot() {
    machines.subList(4, 10).forEach(host -> fleet().offerSpot(host, false));
    Drill.PoolDrill onDemand = drill.pool("d");
    onDemand.target(6).toRest();

    assertThat(held(onDemand)).containsExactlyInAnyOrderElementsOf(machines.subList(4, 10));
  }

  @Test
  void onDemandComesBeforeSpotWhateverThePriority() {
    Drill.PoolDrill spot = spotPool("s", 10);
    spot.edit(spec -> spec.withPriority(9));
    Drill.PoolDrill onDemand = drill.pool("d");
    onDemand.target(0).advance(1, SECONDS);
    spot.edit(spec -> Fixtures.withTarget(spec, 0));
    drill.toRest();
    machines.forEach(host -> fleet().setAside(host, "an exercise"));
    spot.edit(spec -> Fixtures.withTarget(spec, 4));
    drill.advance(1, MINUTES);
    onDemand.target(6).advance(1, MINUTES);
    machines.subList(0, 7).forEach(host -> fleet().setAside(host, ""));
    drill.toRest();

    assertThat(onDemand.hosts()).hasSize(6);
    assertThat(spot.hosts()).hasSize(1);
  }

  @Test
  void aMachineThatIsWantedBackBeforeItBootedIsGivenBackAtOnceAndReplaced() {
    Drill.PoolDrill pool = spotPool("s", 2);
    drill.advance(5, MINUTES);
    String wanted = held(pool).getFirst();
    assertThat(pool.hosts()).hasSize(2).allMatch(Host::isBooting);

    fleet().reclaim(wanted, WINDOW, drill.world.instant());
    drill.advance(5, SECONDS);

    assertThat(pool.hosts()).hasSize(2);
    assertThat(held(pool)).doesNotContain(wanted);
    drill.toRest();
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(held(pool)).doesNotContain(wanted);
  }

  @Test
  void aPoolWhoseMachinesAreAllWantedBackIsQueuedAndGrowsAgainWhenTheNoticesAreWithdrawn() {
    machines.subList(2, 10).forEach(host -> fleet().offerSpot(host, false));
    Drill.PoolDrill pool = spotPool("s", 2);
    drill.advance(5, MINUTES);
    held(pool).forEach(host -> fleet().reclaim(host, WINDOW, drill.world.instant()));
    drill.toRest();

    assertThat(pool.hosts()).isEmpty();
    assertThat(pool.conditions())
        .containsEntry("Capacity", "QueuedAwaitingCapacity")
        .containsEntry("AtTarget", "UnderTarget");

    machines.forEach(fleet()::withdrawReclaim);
    drill.toRest();
    assertThat(held(pool)).containsExactlyInAnyOrderElementsOf(machines.subList(0, 2));
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aMachineThatIsWantedBackIsFreeForOnDemandPools() {
    machines.forEach(host -> fleet().reclaim(host, WINDOW, drill.world.instant()));
    Drill.PoolDrill spot = spotPool("s", 1);
    Drill.PoolDrill onDemand = drill.pool("d");
    onDemand.target(2).toRest();

    assertThat(onDemand.nodes()).hasSize(2);
    assertThat(spot.hosts()).isEmpty();
  }

  @Test
  void aQueueOfAnOnDemandPoolReclaimsAsManyMachinesAsItLacks() {
    fleet().reclaimForOnDemand();
    fleet().offer(twiceTheQuota());
    Drill.PoolDrill spot = spotPool("s", 8);
    drill.advance(5, MINUTES);
    Drill.PoolDrill onDemand = drill.pool("d");
    onDemand.target(5).toRest();

    assertThat(onDemand.nodes()).hasSize(5);
    assertThat(spot.hosts()).hasSize(5);
    assertThat(spot.conditions()).containsEntry("Capacity", "QueuedAwaitingCapacity");
    assertThat(onDemand.conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.world.cluster().hosts().values()).allMatch(host -> host.reclaim().isEmpty());
  }

  @Test
  void aNoticeWhoseQueueIsGoneIsWithdrawn() {
    fleet().reclaimForOnDemand();
    fleet().offer(twiceTheQuota());
    Drill.PoolDrill spot = spotPool("s", 10);
    drill.toRest();
    Drill.PoolDrill onDemand = drill.pool("d");
    onDemand.target(2).advance(30, SECONDS);
    List<String> before = held(spot);
    assertThat(spot.hosts()).hasSize(10);
    assertThat(spot.hosts().stream().filter(host -> host.reclaim().isPresent())).hasSize(2);

    onDemand.target(0).toRest();
    assertThat(held(spot)).isEqualTo(before);
    assertThat(spot.hosts()).allMatch(host -> host.reclaim().isEmpty());
  }

  private FleetOffer twiceTheQuota() {
    TreeMap<String, Integer> quotas = new TreeMap<>(Map.of(Drill.GPU, 20));
    return Drill.dataCentre().withQuotas(quotas).offer();
  }

  @Test
  void aNoticeOnAMachineOfAnOnDemandPoolChangesNothing() {
    Drill.PoolDrill onDemand = drill.pool("d");
    onDemand.target(2).advance(5, MINUTES);
    List<String> before = held(onDemand);
    before.forEach(host -> fleet().reclaim(host, WINDOW, drill.world.instant()));
    drill.toRest();

    assertThat(held(onDemand)).isEqualTo(before);
    assertThat(onDemand.nodes()).hasSize(2);
  }
}
