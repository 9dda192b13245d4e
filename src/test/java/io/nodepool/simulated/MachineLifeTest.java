package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Fixtures;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MachineLifeTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration SHORTEST = Duration.ofMinutes(5);
  private static final Duration LONGEST = Duration.ofMinutes(15);
  private static final Optional<JoinedNode> NO_NODE = Optional.empty();
  private static final Duration CLEAN = Duration.ofMinutes(3);
  private final MachineLife life = new MachineLife(dataCentre(11), Stream::empty);

  private static DataCentre dataCentre(long seed) {
    return dataCentre(seed, CLEAN);
  }

  private static DataCentre dataCentre(long seed, Duration clean) {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
        seed,
        List.of(
            new DataCentre.Rack("1", "gd-8xh100ib-i128", 40),
            new DataCentre.Rack("2", "gb200-4x", 18)),
        new DataCentre.Terms(
            new TreeMap<>(),
            new TreeSet<>(),
            List.of(FleetRelease.whole("ncore-1", List.of())),
            new TreeMap<>()),
        new DataCentre.Timings(SHORTEST, LONGEST, clean),
        DataCentre.Mishaps.NONE);
  }

  private static Host host(
      String name, boolean assigned, Host.Power power, HostPhase phase, int reported) {
    Optional<Assignment> assignment =
        assigned
            ? Optional.of(
                new Assignment(new PoolId("a", "u"), "default", "op", NOW, NodeTemplate.EMPTY))
            : Optional.empty();
    return Fixtures.host(
        new HostId(name, "uid-" + name),
        new Host.Occupancy(3, assignment, "ncore-1", power),
        new Host.Report(phase, reported, "", "", NOW));
  }

  @Test
  void aDeliveryIsWrittenBeforeItBegins() {
    Host host = host("g1", true, Host.Power.ON, HostPhase.FREE, 2);

    assertThat(phase(host, NOW)).isEqualTo(HostPhase.BOOTING);
    assertThat(report(host, NOW).tenancy()).isEqualTo(3);
    assertThat(report(host, NOW).since()).isEqualTo(NOW);
  }

  @Test
  void aDeliveryThatIsCancelledIsCleanedHoweverLittleTimeThatTakes() {
    Host host = host("g1", false, Host.Power.ON, HostPhase.BOOTING, 3);
    MachineLife atOnce =
        new MachineLife(
            dataCentre(11).withTimings(dataCentre(11).timings().withClean(Duration.ZERO)),
            Stream::empty);

    assertThat(phase(host, NOW)).isEqualTo(HostPhase.CLEANING);
    assertThat(report(atOnce, host, NOW).phase()).isEqualTo(HostPhase.CLEANING);
  }

  @Test
  void aMachineThatIsToStopWhileItBootsStops() {
    assertThat(phase(host("g1", true, Host.Power.OFF, HostPhase.BOOTING, 3), NOW))
        .isEqualTo(HostPhase.STOPPED);
  }

  @Test
  void aBootTakesBetweenTheShortestAndTheLongestTime() {
    Host host = host("g1", true, Host.Power.ON, HostPhase.BOOTING, 3);
    Instant up = next(life, host, NO_NODE, NOW).wakeup().orElseThrow();

    assertThat(up).isBetween(NOW.plus(SHORTEST), NOW.plus(LONGEST));
    assertThat(next(life, host, NO_NODE, up.minusMillis(1)).action()).isEmpty();
    assertThat(next(life, host, NO_NODE, up).action())
        .hasValueSatisfying(action -> {
          Host.Report report = ((FleetAction.ReportHost) action).report();
          assertThat(report.phase()).isEqualTo(HostPhase.RUNNING);
          assertThat(report.tenancy()).isEqualTo(3);
          assertThat(report.bootedConfiguration()).isEqualTo("ncore-1");
          assertThat(report.bootId()).isNotEmpty();
        });
  }

  @Test
  void bootTimesAreSpreadAndReproducibleForASeed() {
    List<Duration> times =
        java.util.stream.IntStream.range(0, 40)
            .mapToObj(i -> life.bootTime(host("g" + i, true, Host.Power.ON, HostPhase.FREE, 2)))
            .toList();
    assertThat(times.stream().distinct().count()).isGreaterThan(35);
    assertThat(times.stream().min(Duration::compareTo).orElseThrow())
        .isLessThan(Duration.ofMinutes(7));
    assertThat(times.stream().max(Duration::compareTo).orElseThrow())
        .isGreaterThan(Duration.ofMinutes(13));
    Host host = host("g7", true, Host.Power.ON, HostPhase.FREE, 2);
    assertThat(new MachineLife(dataCentre(11), Stream::empty).bootTime(host))
        .isEqualTo(life.bootTime(host));
    assertThat(new MachineLife(dataCentre(12), Stream::empty).bootTime(host))
        .isNotEqualTo(life.bootTime(host));
  }

  @Test
  void aRunningMachineJoinsUnlessANodeOfItsNameExists() {
    Host host = host("g1", true, Host.Power.ON, HostPhase.RUNNING, 3);

    assertThat(next(life, host, NO_NODE, NOW).action()).contains(new FleetAction.JoinNode(host));
    assertThat(next(life, host, Optional.of(new JoinedNode("n", true, true, "")), NOW))
        .isEqualTo(Next.NOTHING);
  }

  @Test
  void aMachineThatIsPoweredOffStopsAndDoesNotJoinAgain() {
    assertThat(phase(host("g1", true, Host.Power.OFF, HostPhase.RUNNING, 3), NOW))
        .isEqualTo(HostPhase.STOPPED);
    assertThat(next(life, host("g1", true, Host.Power.OFF, HostPhase.STOPPED, 3), NO_NODE, NOW))
        .isEqualTo(Next.NOTHING);
  }

  @Test
  void aFailedMachineStaysFailedWhateverItsSpecRequests() {
    for (Host.Power power : Host.Power.values()) {
      assertThat(next(life, host("g1", true, power, HostPhase.FAILED, 3), NO_NODE, NOW))
          .isEqualTo(Next.NOTHING);
    }
    assertThat(next(life, host("g1", false, Host.Power.ON, HostPhase.FAILED, 3), NO_NODE, NOW))
        .isEqualTo(Next.NOTHING);
  }

  @Test
  void aReleasedMachineIsCleanedAndThenFree() {
    assertThat(phase(host("g1", false, Host.Power.ON, HostPhase.STOPPED, 3), NOW))
        .isEqualTo(HostPhase.CLEANING);
    Host cleaning = host("g1", false, Host.Power.ON, HostPhase.CLEANING, 3);
    assertThat(next(life, cleaning, NO_NODE, NOW).wakeup()).contains(NOW.plus(CLEAN));
    assertThat(phase(cleaning, NOW.plus(CLEAN))).isEqualTo(HostPhase.FREE);
  }

  @Test
  void aReleasedMachineWhoseCleaningTakesNoTimeIsFreeAtOnce() {
    MachineLife quick = new MachineLife(dataCentre(11, Duration.ZERO), Stream::empty);
    for (HostPhase phase : List.of(HostPhase.RUNNING, HostPhase.STOPPED)) {
      Host released = host("g1", false, Host.Power.ON, phase, 3);
      Next next = next(quick, released, NO_NODE, NOW);
      assertThat(((FleetAction.ReportHost) next.action().orElseThrow()).report().phase())
          .isEqualTo(HostPhase.FREE);
    }
  }

  @Test
  void namesAreUniqueAndLookLikeTheRealOnes() {
    List<DataCentre.Slot> slots = dataCentre(5).slots(InstanceCatalogue.bundled());

    assertThat(slots).extracting(DataCentre.Slot::host).hasSize(58).doesNotHaveDuplicates();
    assertThat(slots)
        .allSatisfy(slot ->
            assertThat(slot.host())
                .matches(
                    slot.machine().instanceType().equals("gb200-4x")
                        ? "s[0-9a-z]{7}"
                        : "g[0-9a-f]{6}"));
  }

  @Test
  void machinesOfARackTypeShareAnNvlinkDomainAndOthersHaveNone() {
    List<DataCentre.Slot> slots = dataCentre(5).slots(InstanceCatalogue.bundled());

    assertThat(slots.stream().filter(slot -> slot.machine().instanceType().equals("gb200-4x")))
        .extracting(slot -> slot.machine().interconnect().nvlinkDomain())
        .containsOnly("DH1-002-US-EAST-04A");
    assertThat(slots.stream().filter(slot -> slot.machine().rack().equals("1")))
        .extracting(slot -> slot.machine().interconnect().nvlinkDomain())
        .containsOnly("");
  }

  @Test
  void itOffersItsTypesWithAQuotaForEach() {
    FleetOffer offer = dataCentre(5).offer();

    assertThat(offer.instanceTypes()).containsExactly("gb200-4x", "gd-8xh100ib-i128");
    assertThat(offer.quotaOf("gb200-4x")).hasValue(18);
    assertThat(offer.quotaOf("gd-8xh100ib-i128")).hasValue(40);
  }

  private static Next next(MachineLife life, Host host, Optional<JoinedNode> node, Instant now) {
    return life.next(host, node, Optional.empty(), now);
  }

  private HostPhase phase(Host host, Instant now) {
    return report(host, now).phase();
  }

  private Host.Report report(Host host, Instant now) {
    return report(life, host, now);
  }

  private static Host.Report report(MachineLife life, Host host, Instant now) {
    return ((FleetAction.ReportHost) next(life, host, NO_NODE, now).action().orElseThrow())
        .report();
  }
}
