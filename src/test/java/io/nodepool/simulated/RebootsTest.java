package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.simulated.RebootMishaps.Kind;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reboots of one machine, each decision made by a data centre that has just started. */
class RebootsTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
  private static final String NAME = "g1";
  private static final Duration REBOOT = Duration.ofMinutes(2);
  private static final Duration VERIFICATION = Duration.ofMinutes(3);

  private DataCentre centre =
      new DataCentre(
          new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
          11,
          List.of(),
          new DataCentre.Terms(new TreeMap<>(), new TreeSet<>(), List.of(), new TreeMap<>()),
          new DataCentre.Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO)
              .withReboot(REBOOT)
              .withVerification(VERIFICATION),
          DataCentre.Mishaps.NONE);
  private Instant now = START;
  private Host host = assigned();
  private Optional<JoinedNode> node = Optional.empty();
  private Optional<String> bootToLeave = Optional.empty();
  private final List<String> log = new ArrayList<>();

  private static Host assigned() {
    Assignment assignment =
        new Assignment(new PoolId("a", "u"), "default", "op", START, NodeTemplate.EMPTY);
    return Fixtures.host(
        new HostId(NAME, "uid-" + NAME),
        new Host.Occupancy(3, Optional.of(assignment), "ncore-1", Host.Power.ON),
        new Host.Report(HostPhase.FREE, 2, "", "", START));
  }

  /** Lets the machine act until it waits; everything is decided from the objects alone. */
  private void toRest() {
    for (int i = 0; i < 20; i++) {
      Next next = new MachineLife(centre, Stream::empty).next(host, node, bootToLeave, now);
      if (next.action().isEmpty()) {
        return;
      }
      apply(next.action().get());
    }
    throw new AssertionError("the machine does not come to rest: " + log);
  }

  private void apply(FleetAction action) {
    switch (action) {
      case FleetAction.ReportHost report -> {
        if (report.isTimely(host)) {
          boolean isOfHealth =
              report.report().withSignals(host.report().signals()).equals(host.report());
          if (!isOfHealth) {
            log.add(change(host.report(), report.report()));
          }
          host = host.withReport(report.report()).withVersion(host.version() + 1);
        }
      }
      case FleetAction.JoinNode(Host seen) ->
          node = Optional.of(new JoinedNode("node", true, true, seen.report().bootId()));
      case FleetAction.ReportReadiness readiness -> {
        log.add(readiness.ready() ? "Ready" : "NotReady");
        node =
            Optional.of(
                new JoinedNode(
                    "node", true, readiness.ready(), readiness.host().report().bootId()));
      }
      case FleetAction.StartPod _, FleetAction.ReportRun _, FleetAction.EndPod _ ->
          throw new AssertionError(action);
    }
  }

  private static String change(Host.Report before, Host.Report after) {
    if (after.boot().cycles() > before.boot().cycles()) {
      return after.boot().cycle().isPresent() ? "begins" : "booted";
    }
    if (!after.phase().equals(before.phase())) {
      return after.phase().word();
    }
    return after.bootId().equals(before.bootId())
        ? after.boot().verification().orElseThrow().passed() ? "passed" : "failed"
        : "booted";
  }

  private void after(Duration duration) {
    now = now.plus(duration);
    toRest();
  }

  private void running() {
    toRest();
    log.clear();
  }

  private BootRequest request(BootKind kind, String operation) {
    return BootRequest.first(host.report().bootId(), kind, operation, now, host.boot());
  }

  private void ask(BootRequest request) {
    host = host.withOccupancy(host.occupancy().withBoot(Optional.of(request)));
    toRest();
  }

  private void askToReboot() {
    ask(request(BootKind.REBOOT, "operation-" + host.report().boot().cycles()));
  }

  private void scripted(Kind kind, int reboot) {
    centre =
        centre.withMishaps(
            DataCentre.Mishaps.NONE.withReboots(
                RebootMishaps.NONE.withScript(
                    List.of(new RebootMishaps.Scripted(NAME, reboot, kind)))));
  }

  private void loseBootId() {
    Host.Boot boot = host.report().boot();
    host =
        host.withReport(
            host.report()
                .withBoot(
                    new Host.Boot(
                        "",
                        boot.configuration(),
                        boot.at(),
                        boot.cycles(),
                        boot.cycle(),
                        boot.verification())));
  }

  @Test
  void theBootsAfterTwoWithoutAnIdHaveDifferentOnes() {
    running();
    loseBootId();
    askToReboot();
    after(REBOOT);
    String first = host.report().bootId();

    loseBootId();
    now = now.plusSeconds(1);
    askToReboot();
    after(REBOOT);

    assertThat(first).isNotEmpty();
    assertThat(host.report().bootId()).isNotEmpty().isNotEqualTo(first);
  }

  @Test
  void aRebootAdoptsTheConfigurationThatWasWantedWhenItBegan() {
    running();
    stage("ncore-2");
    after(Duration.ofDays(1));
    assertThat(log).isEmpty();

    askToReboot();
    assertThat(host.report().boot().cycle().orElseThrow().configuration()).isEqualTo("ncore-2");
    assertThat(host.report().bootedConfiguration()).isEqualTo("ncore-1");
    stage("ncore-3");
    after(REBOOT);
    assertThat(host.report().bootedConfiguration()).isEqualTo("ncore-2");

    after(VERIFICATION);
    askToReboot();
    after(REBOOT);
    assertThat(host.report().bootedConfiguration()).isEqualTo("ncore-3");
  }

  private void stage(String configuration) {
    host = host.withOccupancy(host.occupancy().withConfiguration(configuration));
  }

  private void timings(Duration reboot, Duration verification) {
    centre = centre.withTimings(centre.timings().withReboot(reboot).withVerification(verification));
  }

  @ParameterizedTest
  @EnumSource(value = BootKind.class, mode = EnumSource.Mode.EXCLUDE, names = "VERIFICATION")
  void aRequestedBootIsOnePowerCycleWithTheNodeInStepAndThenAVerification(BootKind kind) {
    running();
    Host before = host;

    stage("ncore-2");
    ask(request(kind, "op-1"));
    assertThat(log).containsExactly("begins", "NotReady");
    assertThat(host.report().boot().cycle())
        .contains(new Host.Cycle(before.report().bootId(), 1, now, "ncore-2", ""));
    assertThat(host.report().bootId()).isEqualTo(before.report().bootId());
    after(REBOOT.minusNanos(1));
    assertThat(log).hasSize(2);
    after(Duration.ofNanos(1));
    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready");
    assertThat(host.report().boot().cycle()).isEmpty();
    assertThat(host.report().boot().cycles()).isEqualTo(1);
    assertThat(host.report().bootedConfiguration()).isEqualTo("ncore-2");
    assertThat(host.report().bootId()).isNotEqualTo(before.report().bootId());
    assertThat(host.report().phase()).isEqualTo(HostPhase.RUNNING);
    assertThat(host.report().since()).isEqualTo(before.report().since());
    assertThat(node.orElseThrow().bootId()).isEqualTo(host.report().bootId());
    after(VERIFICATION.minusNanos(1));
    assertThat(log).hasSize(4);
    after(Duration.ofNanos(1));
    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready", "passed");
    assertThat(host.report().boot().verification())
        .contains(
            new Host.Verification(
                host.report().bootId(), "op-1", 1, true, now, "All checks passed."));
    after(Duration.ofDays(1));
    assertThat(log).hasSize(5);
  }

  @Test
  void eachBootHasAnIdOfItsOwn() {
    running();
    List<String> ids = new ArrayList<>(List.of(host.report().bootId()));
    for (int i = 0; i < 50; i++) {
      askToReboot();
      after(REBOOT);
      after(VERIFICATION);
      ids.add(host.report().bootId());
    }
    assertThat(ids).doesNotHaveDuplicates().hasSize(51);
    assertThat(host.report().boot().cycles()).isEqualTo(50);
  }

  @Test
  void aRepeatedDecisionIsDroppedAtEachStep() {
    running();
    ask(request(BootKind.REBOOT, "op-1"));
    Host booting = host;
    now = now.plus(REBOOT);
    Next end = new MachineLife(centre, Stream::empty).next(host, node, Optional.empty(), now);
    toRest();
    FleetAction.ReportHost late = (FleetAction.ReportHost) end.action().orElseThrow();
    assertThat(late.isTimely(host)).isFalse();
    FleetAction.ReportHost begin =
        new FleetAction.ReportHost(
            booting.withReport(booting.report().withBoot(booting.report().boot().withCycles(0))),
            booting.report());
    assertThat(begin.isTimely(host)).isFalse();
    assertThat(begin.isTimely(booting)).isFalse();
  }

  @Test
  void aDecisionAboutABootIsDroppedWhenTheRequestChanged() {
    running();
    BootRequest first = request(BootKind.REBOOT, "op-1");
    ask(first);
    now = now.plus(REBOOT);
    FleetAction.ReportHost end =
        (FleetAction.ReportHost)
            new MachineLife(centre, Stream::empty)
                .next(host, node, Optional.empty(), now)
                .action()
                .orElseThrow();
    host =
        host.withOccupancy(
            host.occupancy()
                .withBoot(
                    Optional.of(first.again(first.from(), now, BootRequest.Outcome.NOT_BOOTED))));

    assertThat(end.isTimely(host)).isFalse();
    assertThat(
            new FleetAction.ReportHost(end.seen(), end.seen().report().withSpot(Host.Spot.OFFERED))
                .isTimely(host))
        .isTrue();
    toRest();
    assertThat(host.report().boot().cycles()).isEqualTo(2);
  }

  @Test
  void aLateDuplicateDoesNothing() {
    running();
    BootRequest request = request(BootKind.REBOOT, "op-1");
    ask(request);
    after(REBOOT);
    after(VERIFICATION);
    log.clear();

    ask(request);
    ask(request.withAt(now));
    after(Duration.ofDays(1));
    assertThat(log).isEmpty();
  }

  @Test
  void twoRequestsForTheSameBootAreOnePowerCycle() {
    running();
    BootRequest other = request(BootKind.POWER_RESET, "op-2");
    ask(request(BootKind.REBOOT, "op-1"));
    ask(other);
    after(REBOOT);

    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready");
    after(VERIFICATION);
    assertThat(host.report().boot().verification().orElseThrow().operation()).isEqualTo("op-2");
  }

  @Test
  void aRebootThatHangsNeverEndsAndAnotherTryBeginsAnew() {
    scripted(Kind.HANG, 1);
    running();
    BootRequest first = request(BootKind.REBOOT, "op-1");
    ask(first);
    after(Duration.ofDays(30));
    assertThat(log).containsExactly("begins", "NotReady");

    ask(first.again(first.from(), now, BootRequest.Outcome.NOT_BOOTED));
    assertThat(host.report().boot().cycle())
        .contains(new Host.Cycle(first.from(), 2, now, "ncore-1", ""));
    after(REBOOT);
    assertThat(log).containsExactly("begins", "NotReady", "begins", "booted", "Ready");
    assertThat(host.report().boot().cycles()).isEqualTo(2);
    after(VERIFICATION);
    assertThat(host.report().boot().verification().orElseThrow().attempt()).isEqualTo(2);
  }

  @Test
  void aRebootMayLeaveTheMachineFailed() {
    scripted(Kind.FAIL, 0);
    running();
    askToReboot();
    after(REBOOT);

    assertThat(log).containsExactly("begins", "NotReady", "Failed");
    assertThat(host.report().bootId()).isEmpty();
    assertThat(host.report().since()).isEqualTo(now);
    assertThat(host.isRebooting()).isFalse();
    after(Duration.ofDays(1));
    assertThat(log).hasSize(3);
  }

  @Test
  void aMachineMayComeBackWithoutItsNodeBecomingReady() {
    scripted(Kind.NOT_READY, 1);
    running();
    askToReboot();
    after(REBOOT);
    assertThat(log).containsExactly("begins", "NotReady", "booted", "NotReady");
    assertThat(node.orElseThrow().bootId()).isEqualTo(host.report().bootId());

    after(VERIFICATION);
    askToReboot();
    after(REBOOT);
    assertThat(node.orElseThrow().ready()).isTrue();
  }

  @Test
  void aVerificationThatFailsIsOneTryAndTheNextOneBootsAgain() {
    scripted(Kind.VERIFICATION_FAILURE, 1);
    running();
    BootRequest first = request(BootKind.REBOOT, "op-1");
    ask(first);
    after(REBOOT);
    after(VERIFICATION);
    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready", "failed");

    log.clear();
    ask(first.again(host.report().bootId(), now, BootRequest.Outcome.NOT_VERIFIED));
    after(REBOOT);
    after(VERIFICATION);
    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready", "passed");
  }

  @Test
  void aVerificationWithoutABootIsDoneAtOnceAndOncePerTry() {
    running();
    String bootId = host.report().bootId();
    BootRequest first = request(BootKind.VERIFICATION, "op-1");
    ask(first);
    assertThat(log).isEmpty();
    after(VERIFICATION);
    ask(first.again(bootId, now, BootRequest.Outcome.NOT_VERIFIED));
    after(VERIFICATION);
    after(Duration.ofDays(1));

    assertThat(log).containsExactly("passed", "passed");
    assertThat(host.report().bootId()).isEqualTo(bootId);
    assertThat(host.report().boot().cycles()).isZero();
  }

  @Test
  void whatTakesNoTimeIsNotWrittenAndStillCountedOnce() {
    timings(Duration.ZERO, Duration.ZERO);
    running();
    askToReboot();

    assertThat(log).containsExactly("booted", "Ready", "passed");
    assertThat(host.report().boot().cycles()).isEqualTo(1);
    assertThat(host.report().boot().cycle()).isEmpty();
  }

  @Test
  void aRebootThatHangsIsRecordedEvenIfRebootsTakeNoTime() {
    timings(Duration.ZERO, Duration.ZERO);
    scripted(Kind.HANG, 1);
    running();
    askToReboot();

    assertThat(log).containsExactly("begins", "NotReady");
  }

  @Test
  void powerOffBeatsARequestBeforeItsRebootAndInTheMiddle() {
    running();
    Host idle = host;
    BootRequest request = request(BootKind.REBOOT, "op-1");
    host = host.withOccupancy(host.occupancy().withPower(Host.Power.OFF));
    ask(request);
    assertThat(log).containsExactly("Stopped");

    host = idle;
    log.clear();
    ask(request);
    host = host.withOccupancy(host.occupancy().withPower(Host.Power.OFF));
    after(REBOOT);
    assertThat(log).containsExactly("begins", "NotReady", "Stopped");
    assertThat(host.report().boot().cycle()).isEmpty();
    assertThat(host.report().boot().cycles()).isEqualTo(1);
  }

  @Test
  void theRequestOfAnEarlierTenancyDoesNothingInTheNext() {
    running();
    ask(request(BootKind.REBOOT, "op-1"));
    host = host.withOccupancy(host.occupancy().withPower(Host.Power.OFF));
    toRest();
    host = host.withOccupancy(host.occupancy().released());
    node = Optional.empty();
    after(Duration.ofMinutes(1));
    assertThat(host.isFree()).isTrue();
    Optional<BootRequest> kept = host.boot();
    assertThat(kept).isPresent();

    log.clear();
    host =
        host.withOccupancy(
            new Host.Occupancy(4, assigned().assignment(), "ncore-1", Host.Power.ON)
                .withBoot(kept));
    after(Duration.ofDays(1));
    assertThat(log).containsExactly("Running");
    assertThat(host.report().boot().cycles()).isEqualTo(1);
  }

  @Test
  void anotherRequestWhileABootIsVerifiedBootsOnceMore() {
    running();
    askToReboot();
    after(REBOOT);
    askToReboot();
    after(REBOOT);
    after(VERIFICATION);

    assertThat(log)
        .containsExactly(
            "begins",
            "NotReady",
            "booted",
            "Ready",
            "begins",
            "NotReady",
            "booted",
            "Ready",
            "passed");
  }

  @Test
  void aMachineThatRebootsByItselfDoesSoOnceAndIsNotVerified() {
    running();
    bootToLeave = Optional.of(host.report().bootId());
    toRest();
    after(REBOOT);
    after(Duration.ofDays(1));
    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready");

    bootToLeave = Optional.of("another boot");
    toRest();
    assertThat(log).hasSize(4);
  }

  @Test
  void aRebootThatIsRequestedWhileTheMachineRebootsByItselfIsTheSame() {
    running();
    bootToLeave = Optional.of(host.report().bootId());
    toRest();
    askToReboot();
    after(REBOOT);
    after(VERIFICATION);

    assertThat(log).containsExactly("begins", "NotReady", "booted", "Ready", "passed");
  }

  @Test
  void aMachineDoesNotJoinWhileItReboots() {
    running();
    askToReboot();
    node = Optional.empty();
    toRest();
    assertThat(node).isEmpty();
    after(REBOOT);
    assertThat(node.orElseThrow().bootId()).isEqualTo(host.report().bootId());
  }

  @Test
  void aNodeOfAnotherTenancyIsLeftAlone() {
    running();
    node = Optional.of(new JoinedNode("other", false, true, "another boot"));
    askToReboot();
    after(REBOOT);

    assertThat(log).containsExactly("begins", "booted");
  }

  @Test
  void aNodeThatOthersReportReadyIsNotReadyAgainWhileItsMachineReboots() {
    running();
    askToReboot();
    node = Optional.of(new JoinedNode("node", true, true, host.report().bootId()));
    toRest();

    assertThat(node.orElseThrow().ready()).isFalse();
  }

  @Test
  void chanceDecidesByTheSeedForEachTry() {
    RebootMishaps mishaps = new RebootMishaps(List.of(), 30, 20, 40, 0);
    centre = centre.withMishaps(DataCentre.Mishaps.NONE.withReboots(mishaps));
    List<String> ends = IntStream.range(0, 300).mapToObj(this::endOfReboot).toList();

    assertThat(ends.stream().filter("NotReady"::equals).count()).isBetween(70L, 110L);
    assertThat(ends.stream().filter("Failed"::equals).count()).isBetween(40L, 80L);
    assertThat(ends.stream().filter("failed"::equals).count()).isBetween(40L, 80L);
    assertThat(IntStream.range(0, 300).mapToObj(this::endOfReboot)).isEqualTo(ends);
  }

  private String endOfReboot(int machine) {
    HostId id = new HostId("g" + machine, "uid-" + machine);
    host = Fixtures.host(id, assigned().occupancy(), assigned().report());
    node = Optional.empty();
    running();
    askToReboot();
    after(REBOOT);
    after(VERIFICATION);
    return log.getLast();
  }

  @Test
  void timesOfOtherClocksCountFromWhenTheyAreObserved() {
    running();
    Host local = LocalTimes.of(host, Optional.empty(), now);
    Instant wrong = now.plus(Duration.ofHours(5));
    BootRequest request = request(BootKind.VERIFICATION, "op-1").withAt(wrong);
    Host asked = host.withOccupancy(host.occupancy().withBoot(Optional.of(request)));

    Host seen = LocalTimes.of(asked, Optional.of(local), now.plusSeconds(1));
    assertThat(seen.boot().orElseThrow().at()).isEqualTo(now.plusSeconds(1));
    assertThat(LocalTimes.of(asked, Optional.of(seen), now.plusSeconds(9)).boot())
        .isEqualTo(seen.boot());
    assertThat(LocalTimes.of(asked, Optional.empty(), now).boot().orElseThrow().at())
        .isEqualTo(now);
    Host.Boot own =
        host.report()
            .boot()
            .withAt(Optional.of(wrong))
            .withCycle(Optional.of(new Host.Cycle(host.report().bootId(), 1, wrong, "c", "m")));
    Host.Boot corrected =
        LocalTimes.of(host.withReport(host.report().withBoot(own)), Optional.empty(), now)
            .report()
            .boot();
    assertThat(corrected.at()).contains(now);
    assertThat(corrected.cycle())
        .contains(new Host.Cycle(host.report().bootId(), 1, now, "c", "m"));
  }
}
