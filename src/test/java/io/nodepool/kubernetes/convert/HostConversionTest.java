package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PastRepair;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HostConversionTest {
  private static final Instant AT = Instant.parse("2026-11-21T05:02:00Z");
  private static final Machine MACHINE =
      new Machine(
          "gd-8xh100ib-i128",
          new Machine.Location("US-EAST-04A", "US-EAST", "12", "dh1-r12", 7),
          new Machine.Interconnect("", "f1", new Machine.LeafGroup("1", "90.1-DH1", "203"), "s1"));

  private static HostResource hostObject() {
    HostResource object = new HostResource();
    object.setMetadata(
        new ObjectMetaBuilder()
            .withName("g00001")
            .withUid("h-1")
            .withResourceVersion("77")
            .build());
    HostSpec spec = new HostSpec();
    spec.machine = HostConversion.machine(MACHINE);
    object.setSpec(spec);
    HostStatus status = new HostStatus();
    status.phase = HostStatus.Phase.FREE;
    object.setStatus(status);
    return object;
  }

  @Test
  void aMachineIsReadAsItWasWritten() {
    assertThat(HostConversion.host(hostObject()).orElseThrow().machine()).isEqualTo(MACHINE);
  }

  @Test
  void anAssignmentIsReadAsItWasWritten() {
    Assignment assignment =
        new Assignment(
            new PoolId("p", "uid-p"),
            "spot",
            "assign/h-1/1/uid-p",
            Instant.parse("2026-11-21T05:02:00.123456789Z"),
            new NodeTemplate(
                new TreeMap<>(Map.of("team", "a")),
                new TreeMap<>(Map.of("note", "b")),
                List.of(new Taint("k", "", "NoSchedule"))));
    HostResource object = hostObject();
    object.getSpec().assignment = HostConversion.assignment(assignment);

    assertThat(HostConversion.host(object).orElseThrow().assignment()).contains(assignment);
  }

  @Test
  void whatWasDoneToAMachineIsReadAsItWasWritten() {
    List<PastRepair> past =
        List.of(
            new PastRepair("GPUFallenOffBus", "uid-p", AT, false, false, true),
            new PastRepair("Other/~Alert", "uid-q", AT.plusNanos(1), true, true, false));
    HostResource object = hostObject();
    object.getSpec().pastRepairs = HostConversion.past(past);

    assertThat(HostConversion.host(object).orElseThrow().past()).isEqualTo(past);
  }

  @Test
  void aReportIsReadAsItWasWritten() {
    Host.Report report =
        new Host.Report(HostPhase.RUNNING, 3, "b1", "c1", Instant.parse("2026-11-21T05:02:00.5Z"));
    HostResource object = hostObject();
    object.setStatus(HostReportConversion.status(report));

    assertThat(HostConversion.host(object).orElseThrow().report()).isEqualTo(report);
  }

  @Test
  void whatAFleetKnowsOfAMachineIsReadAsItWasWritten() {
    Instant checked = Instant.parse("2026-11-21T05:02:00.5Z");
    for (Host.PowerReading.State state : Host.PowerReading.State.values()) {
      Host.Report report =
          new Host.Report(HostPhase.BOOTING, 3, "", "", checked)
              .withMessage("waits for its turn")
              .withPower(Optional.of(new Host.PowerReading(state, checked)))
              .withMaintenance(true);
      HostResource object = hostObject();
      object.setStatus(HostReportConversion.status(report));

      assertThat(HostConversion.host(object).orElseThrow().report()).isEqualTo(report);
    }
  }

  @Test
  void powerThatWasNeverReadIsOutOfDate() {
    HostResource object = hostObject();
    object.getStatus().power = new HostStatus.PowerStatus();
    object.getStatus().power.state = "Off";

    assertThat(HostConversion.host(object).orElseThrow().hold(Instant.now()))
        .contains(Host.Hold.POWER_STALE);
    object.getStatus().power.state = "Perhaps";
    assertThatThrownBy(() -> HostConversion.host(object))
        .hasMessage("status.power.state is no word that is known: Perhaps");
  }

  @Test
  void whatAPersonSaidOfAMachineIsReadAsItWasWritten() {
    for (Instant since : List.of(Instant.EPOCH, Instant.parse("2026-11-21T05:02:00Z"))) {
      Host.Fenced fenced = new Host.Fenced(3, since, Instant.parse("2026-11-21T06:00:00Z"));
      HostResource object = hostObject();
      object.getSpec().fenced = HostConversion.fenced(fenced);

      assertThat(HostConversion.host(object).orElseThrow().occupancy().fenced()).contains(fenced);
    }
  }

  @Test
  void anOfferToSpotPoolsAndANoticeAreReadAsTheyWereWritten() {
    Instant announced = Instant.parse("2026-11-21T05:02:00.5Z");
    Host.Report report = new Host.Report(HostPhase.FREE, 3, "", "", announced);
    for (Host.Spot spot :
        List.of(
            Host.Spot.NOT_OFFERED,
            Host.Spot.OFFERED,
            Host.Spot.OFFERED.withReclaim(
                Optional.of(new Reclaim(announced, announced.plusSeconds(420), ""))),
            new Host.Spot(
                false,
                Optional.of(
                    new Reclaim(announced, announced.plusSeconds(420), "wanted elsewhere"))))) {
      HostResource object = hostObject();
      object.setStatus(HostReportConversion.status(report.withSpot(spot)));

      assertThat(HostConversion.host(object).orElseThrow().report().spot()).isEqualTo(spot);
    }
  }

  @Test
  void aHostThatSaysNothingAboutSpotIsNotOfferedAndNotReclaimed() {
    assertThat(HostConversion.host(hostObject()).orElseThrow().report().spot())
        .isEqualTo(Host.Spot.NOT_OFFERED);
  }

  @Test
  void anInvalidTimeOfANoticeIsNamed() {
    HostResource object = hostObject();
    HostStatus.ReclaimNotice notice = new HostStatus.ReclaimNotice();
    notice.announcedAt = "2026-11-21T05:02:00Z";
    notice.reclaimAt = "soon";
    object.getStatus().reclaim = notice;

    assertThatThrownBy(() -> HostConversion.host(object))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("status.reclaim.reclaimAt is no time: soon");
  }

  @Test
  void aHostOfAFleetThatKnowsNothingOfRebootsHasNone() {
    Host host = HostConversion.host(hostObject()).orElseThrow();

    assertThat(host.boot()).isEmpty();
    assertThat(host.report().boot()).isEqualTo(Host.Boot.of("", ""));
    assertThat(host.isRebooting()).isFalse();
    HostStatus written = HostReportConversion.status(host.report());
    assertThat(written.reboots).isNull();
    assertThat(written.boot).isNull();
    assertThat(written.bootedAt).isNull();
    assertThat(written.verification).isNull();
  }

  @Test
  void aRequestToBootIsReadAsItWasWritten() {
    BootRequest last =
        BootRequest.first("b1", BootKind.REBOOT, "reboot/u/1", AT, Optional.empty())
            .again("", AT.plusSeconds(600), BootRequest.Outcome.NOT_BOOTED)
            .withConfiguration("image-2")
            .again("b2", AT.plusSeconds(1200), BootRequest.Outcome.NOT_VERIFIED);
    for (BootKind kind : BootKind.values()) {
      BootRequest request =
          BootRequest.first("b3", kind, "reboot/u/2", AT.plusNanos(123_456_789), Optional.of(last));
      HostResource object = hostObject();
      object.getSpec().boot = HostConversion.boot(request);

      assertThat(HostConversion.host(object).orElseThrow().boot()).contains(request);
    }
  }

  @Test
  void repairsOfComponentsAreReadAsTheyWereWritten() {
    ComponentRepair request =
        new ComponentRepair("DPURouteCountMismatch", "dpu0", 2, AT, List.of(AT.minusSeconds(900)));
    ComponentRepair.RepairAnswer answer =
        new ComponentRepair.RepairAnswer(
            "DPURouteCountMismatch", 1, false, AT.minusSeconds(700), "No.");
    HostResource object = hostObject();
    object.setStatus(
        HostReportConversion.status(
            new Host.Report(HostPhase.FREE, 0, "", "", AT).withRepairs(List.of(answer))));
    object.getSpec().repairs.put(request.alert(), ComponentRepairConversion.request(request));
    Host host = HostConversion.host(object).orElseThrow();

    assertThat(host.occupancy().repairs()).containsExactly(request);
    assertThat(host.report().repairs()).containsExactly(answer);

    object.getStatus().repairs.values().forEach(each -> each.outcome = "Perhaps");
    assertThatThrownBy(() -> HostConversion.host(object))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage(
            "status.repairs[DPURouteCountMismatch].outcome is no word that is known: Perhaps");
  }

  @Test
  void aRequestToBootByHandNeedsNeitherOperationNorTime() {
    HostResource object = hostObject();
    object.getSpec().boot = bootSpec("Reboot", 1);
    BootRequest request = HostConversion.host(object).orElseThrow().boot().orElseThrow();

    assertThat(request.operation()).isEmpty();
    assertThat(request.at()).isBefore(AT);
    assertThat(request.history()).isEmpty();
  }

  @Test
  void onlyTheLastTriesAreRemembered() {
    HostResource object = hostObject();
    HostSpec.BootSpec boot = bootSpec("Reboot", 13);
    for (int i = 1; i <= 12; i++) {
      HostSpec.PastBootSpec past = new HostSpec.PastBootSpec();
      past.from = "b1";
      past.attempt = i;
      past.kind = "Reboot";
      past.outcome = "NotBooted";
      boot.history.add(past);
    }
    object.getSpec().boot = boot;

    BootRequest request = HostConversion.host(object).orElseThrow().boot().orElseThrow();
    assertThat(request.history()).hasSize(BootRequest.REMEMBERED);
    assertThat(request.history().getFirst().attempt()).isEqualTo(3);
    BootRequest next = request.again("b2", AT, BootRequest.Outcome.VERIFIED);
    assertThat(next.history()).hasSize(BootRequest.REMEMBERED);
    assertThat(next.history().getLast().attempt()).isEqualTo(13);
  }

  private static HostSpec.BootSpec bootSpec(String kind, int attempt) {
    HostSpec.BootSpec boot = new HostSpec.BootSpec();
    boot.from = "b1";
    boot.attempt = attempt;
    boot.kind = kind;
    return boot;
  }

  @Test
  void aRequestToBootThatCannotBeReadMakesTheHostUnreadable() {
    HostSpec.BootSpec outcome = bootSpec("Reboot", 2);
    HostSpec.PastBootSpec past = new HostSpec.PastBootSpec();
    past.from = "b0";
    past.attempt = 1;
    past.kind = "Reboot";
    past.outcome = "Lost";
    outcome.history.add(past);
    HostSpec.BootSpec time = bootSpec("Reboot", 1);
    time.requestedAt = "soon";

    assertThat(whyUnreadable(bootSpec("Melt", 1)))
        .isEqualTo("spec.boot.kind is no word that is known: Melt");
    assertThat(whyUnreadable(bootSpec("Reboot", 0))).isEqualTo("spec.boot.try is less than 1: 0");
    assertThat(whyUnreadable(outcome))
        .isEqualTo("spec.boot.history[].outcome is no word that is known: Lost");
    assertThat(whyUnreadable(time)).isEqualTo("spec.boot.requestedAt is no time: soon");
  }

  private static String whyUnreadable(HostSpec.BootSpec boot) {
    HostResource object = hostObject();
    object.getSpec().boot = boot;
    return whyUnreadable(object);
  }

  private static String whyUnreadable(HostResource object) {
    try {
      return "readable: " + HostConversion.host(object);
    } catch (UnreadableObjectException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void whatTheFleetReportsOfABootIsReadAsItWasWritten() {
    Host.Verification passed = new Host.Verification("b2", "op", 2, true, AT, "");
    Host.Verification failed = new Host.Verification("b2", "", 0, false, AT, "a GPU is missing");
    for (Host.Boot boot :
        List.of(
            Host.Boot.of("b1", "c1"),
            new Host.Boot(
                "b1",
                "c1",
                Optional.empty(),
                1,
                Optional.of(new Host.Cycle("b1", 1, AT, "", "")),
                Optional.of(failed)),
            Host.Boot.of("b1", "c1")
                .withCycle(
                    Optional.of(
                        new Host.Cycle("b1", 1, AT, "image_kernel_none_v1.34.4", "it hangs"))),
            new Host.Boot("b2", "c1", Optional.of(AT), 2, Optional.empty(), Optional.of(passed)))) {
      HostResource object = hostObject();
      object.setStatus(
          HostReportConversion.status(
              new Host.Report(HostPhase.RUNNING, 3, "", "", AT).withBoot(boot)));

      assertThat(HostConversion.host(object).orElseThrow().report().boot()).isEqualTo(boot);
    }
  }

  @Test
  void aReportOfABootThatCannotBeReadMakesTheHostUnreadable() {
    HostResource cycle = hostObject();
    cycle.getStatus().boot = new HostStatus.BootCycle();
    cycle.getStatus().boot.from = "b1";
    cycle.getStatus().boot.attempt = 1;
    cycle.getStatus().boot.startedAt = "now";
    HostResource outcome = hostObject();
    outcome.getStatus().verification = new HostStatus.Verification();
    outcome.getStatus().verification.bootId = "b1";
    outcome.getStatus().verification.at = AT.toString();
    HostResource booted = hostObject();
    booted.getStatus().bootedAt = "today";

    assertThat(whyUnreadable(cycle)).isEqualTo("status.boot.startedAt is no time: now");
    assertThat(whyUnreadable(outcome))
        .isEqualTo("status.verification.outcome is missing, or no word that is known");
    assertThat(whyUnreadable(booted)).isEqualTo("status.bootedAt is no time: today");
  }

  @Test
  void aHostWithoutAPhaseIsIgnored() {
    HostResource silent = hostObject();
    silent.setStatus(null);
    HostResource phaseless = hostObject();
    phaseless.getStatus().phase = null;

    assertThat(HostConversion.host(silent)).isEmpty();
    assertThat(HostConversion.host(phaseless)).isEmpty();
  }

  @Test
  void anUnknownValueMakesAHostUnreadable() {
    HostResource rebooting = hostObject();
    rebooting.getStatus().phase = null;
    rebooting.getStatus().note("phase", "Rebooting");
    HostResource standby = hostObject();
    standby.getSpec().note("power", "Standby");

    assertThatThrownBy(() -> HostConversion.host(rebooting))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("status.phase is no word that is known: Rebooting");
    assertThatThrownBy(() -> HostConversion.host(standby))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("spec.power is no word that is known: Standby");
  }

  @Test
  void anInvalidTimeIsNamed() {
    HostResource object = hostObject();
    object.getStatus().since = "yesterday";

    assertThatThrownBy(() -> HostConversion.host(object))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("status.since is no time: yesterday");
  }

  @Test
  void aNamedSlotComesFirst() {
    HostResource object = hostObject();
    object.getSpec().machine.slot = "left";

    assertThat(HostConversion.host(object).orElseThrow().machine().slot()).isZero();
  }
}
