package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reclaim;
import io.nodepool.kubernetes.api.HostStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts a fleet's report about a machine: the status of its Host. */
public final class HostReportConversion {
  private HostReportConversion() {}

  /** The report in this status, which has this phase. */
  static Host.Report report(HostStatus status, HostStatus.Phase phase) {
    return new Host.Report(
        phase(phase),
        status.tenancy == null ? 0 : HostConversion.tenancy("status.tenancy", status.tenancy),
        boot(status),
        ObjectFacts.timeOrLongAgo("status.since", status.since),
        orEmpty(status.joinRefusal),
        new Host.Spot(
            Boolean.TRUE.equals(status.spot),
            Optional.ofNullable(status.reclaim).map(HostReportConversion::reclaim)),
        SignalConversion.ofFleet(status.signals),
        ComponentRepairConversion.answers(status.repairs),
        orEmpty(status.message),
        Optional.ofNullable(status.power).map(HostReportConversion::power),
        Boolean.TRUE.equals(status.maintenance));
  }

  /** A reading without a time counts as made long ago. */
  private static Host.PowerReading power(HostStatus.PowerStatus object) {
    return new Host.PowerReading(
        HostConversion.known(Host.PowerReading.State.class, "status.power.state", object.state),
        ObjectFacts.timeOrLongAgo("status.power.checkedAt", object.checkedAt));
  }

  private static Host.Boot boot(HostStatus status) {
    return new Host.Boot(
        orEmpty(status.bootId),
        orEmpty(status.bootedConfiguration),
        Optional.ofNullable(status.bootedAt).map(at -> ObjectFacts.time("status.bootedAt", at)),
        status.reboots == null ? 0 : status.reboots,
        Optional.ofNullable(status.boot)
            .map(cycle ->
                new Host.Cycle(
                    orEmpty(cycle.from),
                    HostConversion.attempt("status.boot.try", cycle.attempt),
                    ObjectFacts.time("status.boot.startedAt", cycle.startedAt),
                    orEmpty(cycle.configuration),
                    orEmpty(cycle.message))),
        Optional.ofNullable(status.verification).map(HostReportConversion::verification));
  }

  private static Host.Verification verification(HostStatus.Verification object) {
    if (object.outcome == null) {
      throw new UnreadableObjectException(
          "status.verification.outcome is missing, or no word that is known");
    }
    return new Host.Verification(
        object.bootId,
        orEmpty(object.operation),
        object.attempt == null ? 0 : object.attempt,
        object.outcome == HostStatus.VerificationOutcome.PASSED,
        ObjectFacts.time("status.verification.at", object.at),
        orEmpty(object.message));
  }

  private static Reclaim reclaim(HostStatus.ReclaimNotice notice) {
    return new Reclaim(
        ObjectFacts.time("status.reclaim.announcedAt", notice.announcedAt),
        ObjectFacts.time("status.reclaim.reclaimAt", notice.reclaimAt),
        orEmpty(notice.reason));
  }

  private static HostPhase phase(HostStatus.Phase phase) {
    return switch (phase) {
      case FREE -> HostPhase.FREE;
      case BOOTING -> HostPhase.BOOTING;
      case RUNNING -> HostPhase.RUNNING;
      case STOPPED -> HostPhase.STOPPED;
      case CLEANING -> HostPhase.CLEANING;
      case FAILED -> HostPhase.FAILED;
    };
  }

  /** A fleet's report about a machine as its Host's status. */
  public static HostStatus status(Host.Report report) {
    HostStatus status = new HostStatus();
    status.phase = phase(report.phase());
    status.tenancy = (long) report.tenancy();
    status.bootId = orAbsent(report.bootId());
    status.bootedConfiguration = orAbsent(report.bootedConfiguration());
    status.bootedAt = report.boot().at().map(Instant::toString).orElse(null);
    status.reboots = report.boot().cycles() == 0 ? null : report.boot().cycles();
    status.boot = report.boot().cycle().map(HostReportConversion::cycle).orElse(null);
    status.verification =
        report.boot().verification().map(HostReportConversion::verification).orElse(null);
    status.since = report.since().toString();
    status.message = orAbsent(report.message());
    status.power = report.power().map(HostReportConversion::power).orElse(null);
    status.maintenance = report.maintenance() ? true : null;
    status.joinRefusal = orAbsent(report.joinRefusal());
    status.spot = report.spot().offered();
    status.reclaim = report.spot().reclaim().map(HostReportConversion::notice).orElse(null);
    status.signals = SignalConversion.ofFleet(report);
    status.repairs = ComponentRepairConversion.statuses(report.repairs());
    status.faultyGpus = faulty(report, "gpu");
    status.faultyDpus = faulty(report, "dpu");
    return status;
  }

  private static HostStatus.PowerStatus power(Host.PowerReading reading) {
    HostStatus.PowerStatus object = new HostStatus.PowerStatus();
    object.state = reading.state().word();
    object.checkedAt = reading.checkedAt().toString();
    return object;
  }

  private static @Nullable List<String> faulty(Host.Report report, String kind) {
    List<String> parts =
        report.signals().stream()
            .map(signal -> signal.key().component())
            .filter(component -> component.matches(kind + "[0-9]+"))
            .distinct()
            .sorted()
            .toList();
    return parts.isEmpty() ? null : parts;
  }

  private static HostStatus.BootCycle cycle(Host.Cycle cycle) {
    HostStatus.BootCycle object = new HostStatus.BootCycle();
    object.from = orAbsent(cycle.from());
    object.attempt = cycle.attempt();
    object.startedAt = cycle.at().toString();
    object.configuration = orAbsent(cycle.configuration());
    object.message = orAbsent(cycle.message());
    return object;
  }

  private static HostStatus.Verification verification(Host.Verification verification) {
    HostStatus.Verification object = new HostStatus.Verification();
    object.bootId = verification.bootId();
    object.operation = orAbsent(verification.operation());
    object.attempt = verification.attempt();
    object.outcome =
        verification.passed()
            ? HostStatus.VerificationOutcome.PASSED
            : HostStatus.VerificationOutcome.FAILED;
    object.at = verification.at().toString();
    object.message = orAbsent(verification.message());
    return object;
  }

  private static HostStatus.ReclaimNotice notice(Reclaim reclaim) {
    HostStatus.ReclaimNotice notice = new HostStatus.ReclaimNotice();
    notice.announcedAt = reclaim.announcedAt().toString();
    notice.reclaimAt = reclaim.reclaimAt().toString();
    notice.reason = orAbsent(reclaim.reason());
    return notice;
  }

  private static HostStatus.Phase phase(HostPhase phase) {
    return switch (phase) {
      case FREE -> HostStatus.Phase.FREE;
      case BOOTING -> HostStatus.Phase.BOOTING;
      case RUNNING -> HostStatus.Phase.RUNNING;
      case STOPPED -> HostStatus.Phase.STOPPED;
      case CLEANING -> HostStatus.Phase.CLEANING;
      case FAILED -> HostStatus.Phase.FAILED;
    };
  }
}
