package io.nodepool.world;

import static io.nodepool.world.HardScenarios.idleOnly;
import static io.nodepool.world.HardScenarios.node;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Host.PowerReading.State;
import io.nodepool.fleet.HostPhase;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldFleetAdmin;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Machines that their fleet does not know, that their owner works on, and that boot for long. */
@Tag("world")
class HeldMachinesTest {
  private final Drill drill = drill(DataCentre.Mishaps.NONE);

  private static Drill drill(DataCentre.Mishaps mishaps) {
    return Drill.with(
        1, Drill.dataCentre().withMishaps(mishaps), Faults.NONE, OperatorOverrides.AS_BUILT);
  }

  private WorldFleetAdmin owner() {
    return drill.world.cluster().fleetOwner();
  }

  private List<String> hosts() {
    return List.copyOf(drill.world.cluster().hosts().keySet());
  }

  private void powers(State state) {
    hosts()
        .forEach(host ->
            owner()
                .power(host, Optional.of(new Host.PowerReading(state, drill.world.instant()))));
  }

  private int held() {
    return drill.pool("a").hosts().size();
  }

  @Test
  void aMachineInMaintenanceIsNotGivenOut() {
    drill.advance(1, MINUTES);
    hosts().forEach(host -> owner().maintenance(host, true));
    drill.pool("a").target(1).advance(1, HOURS);

    assertThat(held()).isZero();
    assertThat(drill.pool("a").message(PoolCondition.CAPACITY))
        .contains("Not given out: 10 free Hosts (")
        .endsWith(", since its owner works on it, until its fleet reports the end of the maintenance.");

    hosts().forEach(host -> owner().maintenance(host, false));
    drill.toRest();
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aMachineIsGivenOutUntilWhatIsKnownOfItsPowerIsOutOfDate() {
    drill.advance(1, MINUTES);
    powers(State.OFF);
    drill.advance(29, MINUTES).pool("a").target(1).advance(30, SECONDS);
    assertThat(held()).isEqualTo(1);

    drill.advance(1, MINUTES);
    drill.pool("a").target(2).advance(30, MINUTES);
    assertThat(held()).isEqualTo(1);
    assertThat(drill.pool("a").message(PoolCondition.CAPACITY))
        .contains("since its fleet has not read its power for 30 minutes");

    powers(State.UNKNOWN);
    drill.advance(30, MINUTES);
    assertThat(held()).isEqualTo(1);

    powers(State.OFF);
    drill.advance(1, MINUTES);
    assertThat(held()).isEqualTo(2);
  }

  @Test
  void aFailedMachineThatMayRunKeepsItsNodeUntilAPersonFencedIt() {
    String host = node(idleOnly(drill, 2), 0);
    powers(State.UNKNOWN);
    owner().report(host, HostPhase.FAILED, drill.world.instant());
    drill.advance(5, HOURS);

    assertThat(drill.world.cluster().node(host)).isPresent();
    assertThat(drill.world.cluster().host(host).orElseThrow().assignment()).isPresent();
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .contains("Failed and perhaps running: 1 machine (" + host + ")")
        .contains("kubectl nodepool host fenced");

    owner().fence(host);
    drill.advance(5, MINUTES);
    assertThat(drill.world.cluster().node(host)).isEmpty();
    assertThat(drill.world.cluster().host(host).orElseThrow().assignment()).isEmpty();
  }

  @Test
  void theTimeOfADeliveryRunsFromItsBeginAndOnceMoreFromTheEndOfItsQueue() {
    Drill never =
        drill(DataCentre.Mishaps.NONE.withNeverBoot(new TreeSet<>(hosts())));
    never.pool("a").target(1).advance(50, MINUTES);
    String host = never.pool("a").hosts().getFirst().id().name();

    for (int i = 0; i < 3; i++) {
      never.world.cluster().fleetOwner().report(host, HostPhase.BOOTING, never.world.instant());
      never.advance(30, MINUTES);
      if (i < 1) {
        assertThat(never.world.cluster().host(host).orElseThrow().assignment()).isPresent();
      }
    }
    assertThat(never.world.cluster().host(host).orElseThrow().assignment()).isEmpty();
  }

  @Test
  void aDeliveryThatIsCancelledWhileItBootsIsCleanedBeforeTheMachineIsFree() {
    drill.pool("a").target(1).advance(1, MINUTES);
    String host = drill.pool("a").hosts().getFirst().id().name();
    assertThat(drill.world.cluster().host(host).orElseThrow().is(HostPhase.BOOTING)).isTrue();

    drill.pool("a").target(0).advance(30, SECONDS);
    Host cancelled = drill.world.cluster().host(host).orElseThrow();
    assertThat(cancelled.assignment()).isEmpty();
    assertThat(cancelled.report().phase()).isEqualTo(HostPhase.CLEANING);
    drill.toRest();
    assertThat(drill.world.cluster().host(host).orElseThrow().isFree()).isTrue();
  }
}
