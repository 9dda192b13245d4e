package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.time.Duration;
import java.time.Instant;

/**
 * How a simulated machine answers its Host's spec. Pure: boot phases are a function of time and
 * seed, and only the end of a boot is written, so a data centre that restarts goes on where it was.
 * A machine that has failed stays so until somebody says otherwise in its Host's status.
 */
public final class MachineLife {
  private final long seed;
  private final DataCentre.Timings timings;
  private final DataCentre.Mishaps mishaps;

  /** The machines of this data centre. */
  public MachineLife(DataCentre dataCentre) {
    this.seed = dataCentre.seed();
    this.timings = dataCentre.timings();
    this.mishaps = dataCentre.mishaps();
  }

  /**
   * What the machine does next.
   *
   * @param nodeExists whether a Node of the Host's name exists, of whatever tenancy
   */
  public Next next(Host host, boolean nodeExists, Instant now) {
    if (host.assignment().isEmpty()) {
      return unassigned(host, now);
    }
    if (host.power() == Host.Power.OFF) {
      return host.isOff() ? Next.NOTHING : report(host, HostPhase.STOPPED, "", now);
    }
    return switch (host.report().phase()) {
      case FREE -> boot(host, now);
      case RUNNING ->
          nodeExists || mishaps.neverJoin().contains(host.id().name())
              ? Next.NOTHING
              : Next.now(new FleetAction.JoinNode(host));
      case STOPPED, CLEANING, FAILED -> Next.NOTHING;
    };
  }

  private Next boot(Host host, Instant now) {
    if (failsToBoot(host)) {
      return Next.NOTHING;
    }
    Instant up = host.assignment().orElseThrow().at().plus(bootTime(host));
    return now.isBefore(up)
        ? Next.at(up)
        : report(host, HostPhase.RUNNING, host.occupancy().configuration(), now);
  }

  private boolean failsToBoot(Host host) {
    String boot = "mishap/" + host.id().name() + "/" + host.tenancy();
    return mishaps.neverBoot().contains(host.id().name())
        || Seeds.fraction(seed, boot) * 100 < mishaps.bootFailurePercent();
  }

  /**
   * How long this Host takes to come up in this tenancy: between the shortest and the longest boot,
   * by seed.
   */
  public Duration bootTime(Host host) {
    Duration spread = timings.bootMax().minus(timings.bootMin());
    double fraction = Seeds.fraction(seed, "boot/" + host.id().name() + "/" + host.tenancy());
    return timings.bootMin().plusNanos((long) (spread.toNanos() * fraction));
  }

  private Next unassigned(Host host, Instant now) {
    return switch (host.report().phase()) {
      case FREE, FAILED -> Next.NOTHING;
      // A phase that takes no time is not written.
      case RUNNING, STOPPED ->
          report(host, timings.clean().isZero() ? HostPhase.FREE : HostPhase.CLEANING, "", now);
      case CLEANING -> {
        Instant clean = host.report().since().plus(timings.clean());
        yield now.isBefore(clean) ? Next.at(clean) : report(host, HostPhase.FREE, "", now);
      }
    };
  }

  private Next report(Host host, HostPhase phase, String configuration, Instant now) {
    String bootId =
        phase == HostPhase.RUNNING
            ? "%016x"
                .formatted(Seeds.mix(seed, "bootId/" + host.id().name() + "/" + host.tenancy()))
            : "";
    return Next.now(
        new FleetAction.ReportHost(
            host, new Host.Report(phase, host.tenancy(), bootId, configuration, now)));
  }
}
