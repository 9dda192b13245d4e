package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.Fixtures;
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
import org.junit.jupiter.params.provider.EnumSource;

/** What machines report, each decision made by a data centre that has just started. */
class MachineHealthTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
  private static final MachineFault.Part FALLEN = new MachineFault.Part("GPUFallenOffBus", "gpu3");

  private Host host = running("g1");
  private List<MachineFault> faults = List.of();
  private int puntedRoutesPercent;

  private static Host running(String name) {
    Assignment assignment =
        new Assignment(new PoolId("a", "u"), "default", "op", START, NodeTemplate.EMPTY);
    return Fixtures.host(
        new HostId(name, "uid-" + name),
        new Host.Occupancy(1, Optional.of(assignment), "ncore-1", Host.Power.ON),
        new Host.Report(HostPhase.RUNNING, 1, "boot-0", "ncore-1", minute(1)));
  }

  private static Instant minute(int minutes) {
    return START.plus(Duration.ofMinutes(minutes));
  }

  private static MachineFault fault(MachineFault.Course course, MachineFault.Healing heals) {
    return new MachineFault(
        new TreeSet<>(), FALLEN, new MachineFault.Begin.At(minute(10)), course, heals);
  }

  private MachineHealth health() {
    return new MachineHealth(
        new DataCentre(
            new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
            11,
            List.of(),
            new DataCentre.Terms(new TreeMap<>(), new TreeSet<>(), List.of(), new TreeMap<>()),
            new DataCentre.Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO),
            DataCentre.Mishaps.NONE
                .withFaults(faults)
                .withReboots(new RebootMishaps(List.of(), 0, 0, 0, puntedRoutesPercent))));
  }

  private List<String> reportedAt(Instant now) {
    MachineHealth.Decision decision = health().decide(host, now);
    assertThat(health().decide(reporting(decision.signals()), now).signals())
        .isEqualTo(decision.signals());
    return decision.signals().stream().map(Signal::name).toList();
  }

  private Host reporting(List<Signal> signals) {
    return host.withReport(host.report().withSignals(signals));
  }

  /** The machine is rebooted on request, and 2 minutes later it has booted. */
  private void boot(BootKind kind, int minute) {
    String from = host.report().bootId();
    BootRequest request =
        BootRequest.first(from, kind, "op-" + minute, minute(minute), host.boot());
    Host.Boot boot = host.report().boot();
    host =
        host.withOccupancy(host.occupancy().withBoot(Optional.of(request)))
            .withReport(
                host.report()
                    .withBoot(
                        new Host.Boot(
                            "boot-" + minute,
                            "ncore-1",
                            Optional.of(minute(minute + 2)),
                            boot.cycles() + 1,
                            Optional.empty(),
                            Optional.empty())));
  }

  @ParameterizedTest
  @CsvSource({
    "NOTHING, ",
    "COMPONENT_REPAIR, ",
    "REPLACEMENT, ",
    "REBOOT, REBOOT POWER_RESET HOST_RESET HOST_AND_DPU_RESET",
    "HOST_RESET, POWER_RESET HOST_RESET HOST_AND_DPU_RESET",
    "HOST_AND_DPU_RESET, POWER_RESET HOST_AND_DPU_RESET"
  })
  void aFaultIsHealedByWhatItSaysAndByNothingElse(MachineFault.Healing heals, String by) {
    faults = List.of(fault(MachineFault.Course.STANDS, heals));
    List<String> healing = by == null ? List.of() : List.of(by.split(" "));
    for (BootKind kind :
        List.of(
            BootKind.REBOOT,
            BootKind.POWER_RESET,
            BootKind.HOST_RESET,
            BootKind.HOST_AND_DPU_RESET)) {
      host = running("g1");
      boot(kind, 5);
      assertThat(reportedAt(minute(9))).isEmpty();
      assertThat(reportedAt(minute(11))).containsExactly("GPUFallenOffBus");
      boot(kind, 20);
      assertThat(reportedAt(minute(23)))
          .as("%s after %s", heals, kind)
          .hasSize(healing.contains(kind.name()) ? 0 : 1);
      boot(BootKind.REBOOT, 40);
      boolean healed = healing.contains(kind.name()) || healing.contains("REBOOT");
      assertThat(reportedAt(minute(43))).hasSize(healed ? 0 : 1);
    }
  }

  @ParameterizedTest
  @EnumSource(MachineFault.Healing.class)
  void theRepairOfAComponentHealsWhatSaysSoFromThenOn(MachineFault.Healing heals) {
    faults = List.of(fault(MachineFault.Course.STANDS, heals));
    boolean isOfComponent = heals == MachineFault.Healing.COMPONENT_REPAIR;
    assertThat(health().isOfComponent(host, "GPUFallenOffBus", minute(11)))
        .isEqualTo(isOfComponent);
    repaired(5, true);
    assertThat(reportedAt(minute(11))).hasSize(1);
    repaired(20, false);
    assertThat(reportedAt(minute(21))).hasSize(1);
    repaired(20, true);
    assertThat(reportedAt(minute(21))).hasSize(isOfComponent ? 0 : 1);
  }

  private void repaired(int minute, boolean succeeded) {
    host =
        host.withReport(
            host.report()
                .withRepairs(
                    List.of(
                        new ComponentRepair.RepairAnswer(
                            "GPUFallenOffBus", 1, succeeded, minute(minute), ""))));
  }

  @Test
  void whatABootLeavesIsObservedAnewOnIt() {
    faults = List.of(fault(MachineFault.Course.STANDS, MachineFault.Healing.REPLACEMENT));
    Signal first = health().decide(host, minute(11)).signals().getFirst();
    assertThat(first.since()).isEqualTo(minute(10));
    assertThat(first.bootId()).isEqualTo("boot-0");
    assertThat(first.key()).isEqualTo(new SignalKey("fleet", "gpu3", "GPUFallenOffBus"));

    boot(BootKind.REBOOT, 20);
    Signal second = health().decide(host, minute(23)).signals().getFirst();
    assertThat(second.since()).isEqualTo(minute(22));
    assertThat(second.bootId()).isEqualTo("boot-20");
  }

  @Test
  void theNextTenantGetsAMachineInOrder() {
    faults = List.of(fault(MachineFault.Course.STANDS, MachineFault.Healing.REPLACEMENT));
    assertThat(reportedAt(minute(11))).hasSize(1);
    Assignment next =
        new Assignment(new PoolId("b", "v"), "default", "op", minute(60), NodeTemplate.EMPTY);
    host = host.withOccupancy(host.occupancy().withAssignment(Optional.of(next)));
    assertThat(reportedAt(minute(61))).isEmpty();
  }

  @Test
  void aFaultOfTheMachineComesWithEachTenant() {
    faults =
        List.of(
            new MachineFault(
                new TreeSet<>(),
                FALLEN,
                new MachineFault.Begin.After(Duration.ofMinutes(9)),
                MachineFault.Course.STANDS,
                MachineFault.Healing.REBOOT));
    assertThat(reportedAt(minute(9))).isEmpty();
    assertThat(reportedAt(minute(10))).hasSize(1);
    boot(BootKind.REBOOT, 20);
    assertThat(reportedAt(minute(23))).isEmpty();
    host =
        host.withReport(
            host.report().inPhase(HostPhase.RUNNING, 1, Host.Boot.of("b", "ncore-1"), minute(60)));
    assertThat(reportedAt(minute(68))).isEmpty();
    assertThat(reportedAt(minute(69))).hasSize(1);
  }

  @Test
  void oneThatComesAndGoesChangesAtItsTimesAndNotBetween() {
    faults =
        List.of(
            fault(
                new MachineFault.Course(
                    Optional.of(Duration.ofMinutes(1)),
                    Optional.of(Duration.ofMinutes(5)),
                    Optional.empty(),
                    Duration.ZERO,
                    false),
                MachineFault.Healing.NOTHING));
    assertThat(health().decide(host, minute(2)).changesAt()).contains(minute(10));
    assertThat(reportedAt(minute(10))).hasSize(1);
    assertThat(health().decide(host, minute(10)).changesAt()).contains(minute(11));
    assertThat(reportedAt(minute(11))).isEmpty();
    assertThat(health().decide(host, minute(11)).changesAt()).contains(minute(15));
    Signal again = health().decide(host, minute(15)).signals().getFirst();
    assertThat(again.since()).isEqualTo(minute(15));
    long changes =
        IntStream.rangeClosed(1, 1000)
            .filter(second -> {
              Instant before = minute(10).plusSeconds(second - 1);
              return !health()
                  .decide(host, before)
                  .signals()
                  .equals(health().decide(host, before.plusSeconds(1)).signals());
            })
            .count();
    assertThat(changes).isEqualTo(7);
  }

  @Test
  void aPrecursorLeadsToItsFaultUnlessItIsHealedBefore() {
    faults =
        List.of(
            new MachineFault(
                new TreeSet<>(List.of("g1")),
                new MachineFault.Part("GPUVeryHot", "gpu1"),
                new MachineFault.Begin.At(minute(10)),
                new MachineFault.Course(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(FALLEN),
                    Duration.ofDays(2),
                    false),
                MachineFault.Healing.REBOOT));
    assertThat(reportedAt(minute(11))).containsExactly("GPUVeryHot");
    assertThat(reportedAt(minute(11).plus(Duration.ofDays(2))))
        .containsExactly("GPUFallenOffBus", "GPUVeryHot");
    boot(BootKind.REBOOT, 20);
    assertThat(reportedAt(minute(11).plus(Duration.ofDays(2)))).isEmpty();
    host = running("g2");
    assertThat(reportedAt(minute(11))).isEmpty();
  }

  @Test
  void chanceComesOnceForEachTenantByTheSeed() {
    faults =
        List.of(
            new MachineFault(
                new TreeSet<>(),
                FALLEN,
                new MachineFault.Begin.Chance(Duration.ofHours(10)),
                MachineFault.Course.STANDS,
                MachineFault.Healing.REBOOT));
    List<Boolean> within =
        IntStream.range(0, 300)
            .mapToObj(i -> {
              host = running("g" + i);
              return !reportedAt(minute(601)).isEmpty();
            })
            .toList();
    // Of an exponential distribution, 63 % begin within the mean.
    assertThat(within.stream().filter(each -> each).count()).isBetween(165L, 215L);
  }

  @Test
  void onlyAResetOfTheHostAloneLeavesRoutesOnTheDpuUntilThatIsResetToo() {
    puntedRoutesPercent = 100;
    int minute = 5;
    for (BootKind kind :
        List.of(BootKind.REBOOT, BootKind.POWER_RESET, BootKind.HOST_AND_DPU_RESET)) {
      boot(kind, minute);
      minute += 5;
      assertThat(reportedAt(minute(100))).as(kind.word()).isEmpty();
    }
    boot(BootKind.HOST_RESET, 40);
    assertThat(reportedAt(minute(100))).containsExactly("DPUUnexpectedPuntedRoutes");
    boot(BootKind.REBOOT, 50);
    assertThat(reportedAt(minute(100))).containsExactly("DPUUnexpectedPuntedRoutes");
    boot(BootKind.POWER_RESET, 60);
    assertThat(reportedAt(minute(100))).isEmpty();
  }

  @Test
  void aFailedVerificationNamesItsTestUntilTheNextBoot() {
    boot(BootKind.REBOOT, 5);
    Host.Boot verified =
        host.report()
            .boot()
            .withVerification(
                Optional.of(
                    new Host.Verification(
                        "boot-5",
                        "op-5",
                        1,
                        false,
                        minute(9),
                        "The data centre lets it fail: NodeVerificationFailureMegatronDeadlock.")));
    host = host.withReport(host.report().withBoot(verified));
    assertThat(reportedAt(minute(10))).containsExactly("NodeVerificationFailureMegatronDeadlock");
    boot(BootKind.REBOOT, 20);
    assertThat(reportedAt(minute(30))).isEmpty();
  }

  @Test
  void whatOthersWroteStays() {
    Signal others = Signal.standing(new SignalKey("fleet", "host", "NodeMemoryError"), minute(3));
    host = reporting(List.of(others));
    faults = List.of(fault(MachineFault.Course.STANDS, MachineFault.Healing.NOTHING));
    assertThat(reportedAt(minute(11))).containsExactly("GPUFallenOffBus", "NodeMemoryError");
    host = reporting(health().decide(host, minute(11)).signals());
    faults = List.of();
    assertThat(reportedAt(minute(12))).containsExactly("NodeMemoryError");
  }
}
