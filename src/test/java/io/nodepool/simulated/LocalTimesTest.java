package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LocalTimesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private static Host host(int tenancy, Optional<Instant> assignedAt, Instant since) {
    return Fixtures.host(
        new HostId("g1", "h-1"),
        new Host.Occupancy(
            tenancy,
            assignedAt.map(at ->
                new Assignment(new PoolId("a", "u"), "default", "op", at, NodeTemplate.EMPTY)),
            "",
            Host.Power.ON),
        new Host.Report(HostPhase.FREE, 0, "", "", since));
  }

  private static Host assigned(int tenancy, Instant at) {
    return host(tenancy, Optional.of(at), NOW);
  }

  private static Instant assignedAt(Host host) {
    return host.assignment().orElseThrow().at();
  }

  @Test
  void anAssignmentThatIsObservedToBeginBeginsThen() {
    Host free = LocalTimes.of(host(1, Optional.empty(), NOW), Optional.empty(), NOW);
    for (Instant written : new Instant[] {NOW.minus(HOUR), NOW, NOW.plus(HOUR)}) {
      Host local = LocalTimes.of(assigned(2, written), Optional.of(free), NOW.plusSeconds(9));
      assertThat(assignedAt(local)).isEqualTo(NOW.plusSeconds(9));

      Host again = LocalTimes.of(assigned(2, written), Optional.of(local), NOW.plusSeconds(30));
      assertThat(assignedAt(again)).isEqualTo(NOW.plusSeconds(9));

      Host next = LocalTimes.of(assigned(3, written), Optional.of(again), NOW.plusSeconds(60));
      assertThat(assignedAt(next)).isEqualTo(NOW.plusSeconds(60));
    }
  }

  @Test
  void timesFoundAtAStartAreReadAsWrittenAndNeverInTheFuture() {
    Host past = host(2, Optional.of(NOW.minusSeconds(50)), NOW.minusSeconds(40));
    assertThat(LocalTimes.of(past, Optional.empty(), NOW)).isEqualTo(past);

    Host ahead = host(2, Optional.of(NOW.plus(HOUR)), NOW.plus(HOUR));
    Host local = LocalTimes.of(ahead, Optional.empty(), NOW);
    assertThat(local).isEqualTo(host(2, Optional.of(NOW), NOW));
    assertThat(LocalTimes.of(ahead, Optional.of(local), NOW.plusSeconds(9))).isEqualTo(local);
  }
}
