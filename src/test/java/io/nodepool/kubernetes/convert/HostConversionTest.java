package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HostConversionTest {
  private static final Machine MACHINE =
      new Machine(
          "gd-8xh100ib-i128",
          new Machine.Location("US-EAST-04A", "US-EAST", "12", "dh1-r12", 7),
          new Machine.Interconnect("", "f1", "l1", "s1"));

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
  void aReportIsReadAsItWasWritten() {
    Host.Report report =
        new Host.Report(HostPhase.RUNNING, 3, "b1", "c1", Instant.parse("2026-11-21T05:02:00.5Z"));
    HostResource object = hostObject();
    object.setStatus(HostConversion.status(report));

    assertThat(HostConversion.host(object).orElseThrow().report()).isEqualTo(report);
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
      object.setStatus(HostConversion.status(report.withSpot(spot)));

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
