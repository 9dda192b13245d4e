package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.Fixtures;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IgnoredReclaimsTest {
  @ParameterizedTest
  @CsvSource({
    // compute class of the holder, seconds from its assignment to the notice | ignored
    "default, 60, true",
    "spot, 60, false",
    "Spot, 60, false",
    // The notice served its purpose: the machine is held by the pool that it was announced for.
    "default, -60, false",
    "'', 60, false",
  })
  void aNoticeIsIgnoredIfAnOnDemandPoolHeldTheMachineWhenItWasAnnounced(
      String computeClass, long seconds, boolean ignored) {
    Optional<Assignment> holder =
        computeClass.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new Assignment(
                    new PoolId("p", "uid-p"),
                    computeClass,
                    "op",
                    Fixtures.NOW,
                    NodeTemplate.EMPTY));
    Reclaim notice =
        new Reclaim(
            Fixtures.NOW.plusSeconds(seconds), Fixtures.NOW.plusSeconds(seconds + 420), "wanted");
    Host host =
        Fixtures.host(
            new HostId("g1", "uid-g1"),
            Host.Occupancy.none(1).withAssignment(holder),
            new Host.Report(HostPhase.RUNNING, 1, "b", "c", Fixtures.NOW)
                .withSpot(Host.Spot.OFFERED.withReclaim(Optional.of(notice))));

    assertThat(IgnoredReclaims.isIgnored(host)).isEqualTo(ignored);
    assertThat(
            IgnoredReclaims.isIgnored(host.withReport(host.report().withSpot(Host.Spot.OFFERED))))
        .isFalse();
  }
}
