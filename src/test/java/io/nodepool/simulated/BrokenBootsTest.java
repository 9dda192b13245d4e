package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.model.Fixtures;
import io.nodepool.simulated.RebootMishaps.Kind;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Boots of several machines into broken configurations, each decision made from the Hosts alone.
 */
class BrokenBootsTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration BOOT = Duration.ofMinutes(5);
  private static final Duration REBOOT = Duration.ofMinutes(3);
  private static final String OLD =
      new ConfigurationContents("ncore-1", "6.8.0-60", "570.1", "v1.34.4").profile();
  private static final String NEW =
      new ConfigurationContents("ncore-2", "6.8.0-71", "580.1", "v1.34.4").profile();

  private final TreeMap<String, Host> hosts = new TreeMap<>();
  private final TreeSet<String> joined = new TreeSet<>();
  private final TreeSet<String> notReady = new TreeSet<>();
  private DataCentre centre =
      new DataCentre(
          new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
          11,
          List.of(),
          new DataCentre.Terms(new TreeMap<>(), new TreeSet<>(), List.of(), new TreeMap<>()),
          new DataCentre.Timings(BOOT, BOOT, Duration.ZERO)
              .withReboot(REBOOT)
              .withVerification(Duration.ZERO),
          DataCentre.Mishaps.NONE);
  private Instant now = START;

  private void broken(int fromBoot, Kind kind) {
    centre =
        centre.withMishaps(
            DataCentre.Mishaps.NONE.withConfigurations(
                List.of(new BrokenConfiguration("ncore-2", "", "", fromBoot, kind))));
  }

  private void assign(int machine, String configuration) {
    String name = name(machine);
    Assignment assignment =
        new Assignment(new PoolId("a", "u"), "default", "op", now, NodeTemplate.EMPTY);
    hosts.put(
        name,
        Fixtures.host(
            new HostId(name, "uid-" + name),
            new Host.Occupancy(3, Optional.of(assignment), configuration, Host.Power.ON),
            new Host.Report(HostPhase.FREE, 2, "", "", now)));
  }

  private static String name(int machine) {
    return "g%02d".formatted(machine);
  }

  private Host host(int machine) {
    return Optional.ofNullable(hosts.get(name(machine))).orElseThrow();
  }

  /** Lets machines act until all wait; a new data centre decides each time. */
  private void toRest() {
    boolean acted = true;
    while (acted) {
      acted = false;
      for (String name : List.copyOf(hosts.descendingKeySet())) {
        Host host = Optional.ofNullable(hosts.get(name)).orElseThrow();
        Optional<JoinedNode> node =
            joined.contains(name)
                ? Optional.of(
                    new JoinedNode(
                        name, true, !notReady.contains(name), shown.getOrDefault(name, "")))
                : Optional.empty();
        MachineLife life = new MachineLife(centre, () -> hosts.values().stream());
        Optional<FleetAction> action = life.next(host, node, Optional.empty(), now).action();
        action.ifPresent(this::apply);
        acted = acted || action.isPresent();
      }
    }
  }

  private final TreeMap<String, String> shown = new TreeMap<>();

  private void apply(FleetAction action) {
    switch (action) {
      case FleetAction.ReportHost report ->
          hosts.put(report.host().name(), report.seen().withReport(report.report()));
      case FleetAction.JoinNode(Host host) -> {
        joined.add(host.id().name());
        shown.put(host.id().name(), host.report().bootId());
      }
      case FleetAction.ReportReadiness readiness -> {
        String name = readiness.host().id().name();
        shown.put(name, readiness.host().report().bootId());
        if (readiness.ready()) {
          notReady.remove(name);
        } else {
          notReady.add(name);
        }
      }
      case FleetAction.StartPod _, FleetAction.ReportRun _, FleetAction.EndPod _ ->
          throw new AssertionError(action);
    }
  }

  private void pass(Duration time) {
    now = now.plus(time);
    toRest();
  }

  private void running(int machines) {
    IntStream.rangeClosed(1, machines).forEach(machine -> assign(machine, OLD));
    pass(BOOT);
    assertThat(joined).hasSize(machines);
  }

  private void reboot(int machine, String configuration) {
    Host host = host(machine);
    BootRequest request =
        BootRequest.first(
            host.report().bootId(), BootKind.POWER_RESET, "op-" + now, now, host.boot());
    hosts.put(
        name(machine),
        host.withOccupancy(
            host.occupancy().withConfiguration(configuration).withBoot(Optional.of(request))));
    toRest();
  }

  private List<Integer> booted(String configuration) {
    return hosts.values().stream()
        .filter(host -> host.report().boot().cycle().isEmpty())
        .filter(host -> host.report().bootedConfiguration().equals(configuration))
        .map(host -> Integer.parseInt(host.id().name().substring(1)))
        .toList();
  }

  @Test
  void fromTheEleventhBootOnAllHangInTheOrderInWhichTheyBegan() {
    broken(11, Kind.HANG);
    running(15);
    for (int machine = 15; machine >= 1; machine--) {
      reboot(machine, NEW);
      pass(Duration.ofSeconds(20));
    }
    pass(Duration.ofDays(1));

    assertThat(booted(NEW)).containsExactly(6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    assertThat(host(5).report().boot().cycle()).isPresent();
  }

  @Test
  void bootsThatBeginAtOnceAreCountedByName() {
    broken(3, Kind.HANG);
    running(5);
    IntStream.rangeClosed(1, 5).forEach(machine -> reboot(machine, NEW));
    pass(REBOOT);

    assertThat(booted(NEW)).containsExactly(1, 2);
  }

  @Test
  void aMachineThatHangsComesUpWithAnotherConfigurationByAnotherTry() {
    broken(1, Kind.HANG);
    running(1);
    reboot(1, NEW);
    pass(Duration.ofDays(1));
    Host hung = host(1);
    hosts.put(name(1), hung.withOccupancy(hung.occupancy().withConfiguration(OLD)));
    pass(Duration.ofDays(1));
    assertThat(host(1).report().boot().cycle()).isPresent();

    Host staged = host(1);
    BootRequest again =
        staged
            .boot()
            .orElseThrow()
            .again(staged.report().bootId(), now, BootRequest.Outcome.NOT_BOOTED);
    hosts.put(name(1), staged.withOccupancy(staged.occupancy().withBoot(Optional.of(again))));
    toRest();
    pass(REBOOT);
    assertThat(booted(OLD)).containsExactly(1);
    assertThat(host(1).report().boot().at()).contains(now);
  }

  @Test
  void aMachineThatHangsDoesSoWhenOthersLeaveTheConfiguration() {
    broken(2, Kind.HANG);
    running(2);
    reboot(1, NEW);
    pass(REBOOT);
    reboot(2, NEW);
    pass(REBOOT);
    reboot(1, OLD);
    pass(Duration.ofDays(1));

    assertThat(booted(NEW)).isEmpty();
    assertThat(host(2).report().boot().cycle().orElseThrow().message())
        .startsWith("The machine does not come up with this configuration");
  }

  @Test
  void aDeliveryEndsOnceItsConfigurationIsMended() {
    broken(1, Kind.HANG);
    assign(1, NEW);
    pass(Duration.ofDays(1));
    centre = centre.withMishaps(DataCentre.Mishaps.NONE);
    toRest();

    assertThat(booted(NEW)).containsExactly(1);
  }

  @Test
  void deliveriesCountAsReboots() {
    broken(2, Kind.HANG);
    running(1);
    reboot(1, NEW);
    pass(REBOOT);
    assign(2, NEW);
    assign(3, OLD);
    pass(Duration.ofDays(1));

    assertThat(booted(NEW)).containsExactly(1);
    assertThat(host(2).report().phase()).isEqualTo(HostPhase.BOOTING);
    assertThat(booted(OLD)).containsExactly(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailureLeavesTheMachineFailed(boolean delivery) {
    broken(1, Kind.FAIL);
    if (delivery) {
      assign(1, NEW);
    } else {
      running(1);
      reboot(1, NEW);
    }
    pass(BOOT);

    assertThat(host(1).report().phase()).isEqualTo(HostPhase.FAILED);
    assertThat(host(1).report().bootId()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMachineThatFailedInTheConfigurationIsInOrderOnceItWasReleased(boolean inIt) {
    broken(1, Kind.FAIL);
    assign(1, inIt ? NEW : OLD);
    Host failed = host(1);
    hosts.put(
        name(1),
        failed
            .withReport(new Host.Report(HostPhase.FAILED, failed.tenancy(), "", "", now))
            .withOccupancy(failed.occupancy().released()));
    toRest();

    assertThat(host(1).report().phase()).isEqualTo(inIt ? HostPhase.FREE : HostPhase.FAILED);
  }

  @Test
  void aMachineThatDoesNotBecomeReadyBootsAndNoNodeJoinsAfterItsDelivery() {
    broken(1, Kind.NOT_READY);
    running(1);
    reboot(1, NEW);
    assign(2, NEW);
    pass(BOOT);

    assertThat(booted(NEW)).containsExactly(1, 2);
    assertThat(notReady).containsExactly(name(1));
    assertThat(joined).containsExactly(name(1));
  }

  @Test
  void aVerificationFailsAfterARebootIntoTheConfiguration() {
    broken(2, Kind.VERIFICATION_FAILURE);
    running(2);
    reboot(1, NEW);
    pass(REBOOT);
    reboot(2, NEW);
    pass(REBOOT);

    assertThat(host(1).report().boot().verification().orElseThrow().passed()).isTrue();
    assertThat(host(2).report().boot().verification().orElseThrow().passed()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "ncore-2, '', '', true",
    "ncore-1, '', '', false",
    "'', 6.8.0-71, '', true",
    "'', 6.8.0-60, '', false",
    "'', '', 580.1, true",
    "'', '', 580, false",
    "ncore-2, 6.8.0-71, 580.1, true",
    "ncore-2, 6.8.0-60, 580.1, false"
  })
  void allNamedPartsMustBeThose(String image, String kernel, String driver, boolean broken) {
    BrokenConfiguration parts = new BrokenConfiguration(image, kernel, driver, 1, Kind.HANG);

    assertThat(parts.contains(NEW)).isEqualTo(broken);
    assertThat(parts.contains("ncore-2")).isFalse();
  }
}
