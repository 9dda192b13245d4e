package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The behaviour of a simulated machine, given its Host's spec. Pure: boot phases are a function of
 * time and seed, and only the end of a boot is written, so a data centre that restarts continues
 * where it stopped; reboots are recorded as well. A failed machine stays failed until a user
 * changes its Host's status. If it failed in a broken configuration, it is in order once it is
 * cleaned.
 */
public final class MachineLife {
  private final long seed;
  private final DataCentre.Timings timings;
  private final DataCentre.Mishaps mishaps;
  private final Reboots reboots;
  private final BrokenBoots broken;
  private final MachineHealth health;
  private final RepairedComponents components;

  /**
   * Creates the behaviour of this data centre's machines.
   *
   * @param hosts all its Hosts, as last observed
   */
  public MachineLife(DataCentre dataCentre, Supplier<Stream<Host>> hosts) {
    this.seed = dataCentre.seed();
    this.timings = dataCentre.timings();
    this.mishaps = dataCentre.mishaps();
    this.broken = new BrokenBoots(dataCentre.mishaps().configurations(), hosts);
    this.health = new MachineHealth(dataCentre);
    this.components = new RepairedComponents(dataCentre, health);
    this.reboots = new Reboots(dataCentre, broken, health);
  }

  /**
   * Returns the machine's next action.
   *
   * @param host with times of the data centre's own clock
   * @param node the Node of the Host's name, of any tenancy
   * @param bootToLeave the boot that it leaves by itself, without a request on its Host
   */
  public Next next(
      Host host, Optional<JoinedNode> node, Optional<String> bootToLeave, Instant now) {
    MachineHealth.Decision reported = health.decide(host, now);
    return host.report().signals().equals(reported.signals())
        ? step(host, node, bootToLeave, now).atLatest(reported.changesAt())
        : Next.report(host, host.report().withSignals(reported.signals()));
  }

  private Next step(
      Host host, Optional<JoinedNode> node, Optional<String> bootToLeave, Instant now) {
    if (host.assignment().isEmpty()) {
      return unassigned(host, now);
    }
    if (host.power() == Host.Power.OFF) {
      return host.is(HostPhase.STOPPED) || host.is(HostPhase.FAILED)
          ? Next.NOTHING
          : report(host, HostPhase.STOPPED, "", now);
    }
    return switch (host.report().phase()) {
      case FREE -> deliver(host, now);
      case BOOTING -> boot(host, now);
      case RUNNING ->
          reboots
              .next(host, node, bootToLeave, now)
              .or(() -> join(host, node))
              .or(() -> reboots.inStep(host, node, now))
              .orElseGet(() -> inOrder(host, now));
      case STOPPED, CLEANING, FAILED -> Next.NOTHING;
    };
  }

  private Next inOrder(Host host, Instant now) {
    Next verification = reboots.verification(host, now);
    return verification.action().isPresent()
        ? verification
        : components.next(host, now).atLatest(verification.wakeup());
  }

  private Optional<Next> join(Host host, Optional<JoinedNode> node) {
    return node.isPresent()
            || mishaps.neverJoin().contains(host.id().name())
            || broken.breaks(RebootMishaps.Kind.NOT_READY, host)
        ? Optional.empty()
        : Optional.of(Next.now(new FleetAction.JoinNode(host)));
  }

  /** First reports that the delivery began, unless it takes no time. */
  private Next deliver(Host host, Instant now) {
    return bootTime(host).isZero() && !failsToBoot(host)
        ? boot(host, now)
        : report(host, HostPhase.BOOTING, "", now);
  }

  private Next boot(Host host, Instant now) {
    if (failsToBoot(host)) {
      return Next.NOTHING;
    }
    Instant up = host.assignment().orElseThrow().at().plus(bootTime(host));
    if (now.isBefore(up)) {
      return Next.at(up);
    }
    if (broken.breaks(RebootMishaps.Kind.HANG, host)) {
      return Next.NOTHING;
    }
    return broken.breaks(RebootMishaps.Kind.FAIL, host)
        ? report(host, HostPhase.FAILED, "", now)
        : report(host, HostPhase.RUNNING, host.configuration(), now);
  }

  private boolean failsToBoot(Host host) {
    String boot = "mishap/" + host.id().name() + "/" + host.tenancy();
    return mishaps.neverBoot().contains(host.id().name())
        || Seeds.fraction(seed, boot) * 100 < mishaps.bootFailurePercent();
  }

  /** The boot time of this Host in this tenancy: between the shortest and the longest, by seed. */
  public Duration bootTime(Host host) {
    Duration spread = timings.bootMax().minus(timings.bootMin());
    double fraction = Seeds.fraction(seed, "boot/" + host.id().name() + "/" + host.tenancy());
    return timings.bootMin().plusNanos((long) (spread.toNanos() * fraction));
  }

  private Next unassigned(Host host, Instant now) {
    return switch (host.report().phase()) {
      case FREE -> Next.NOTHING;
      case FAILED -> broken.letsFail(host.configuration()) ? clean(host, now) : Next.NOTHING;
      // The unfinished installation is wiped, however long that takes.
      case BOOTING -> report(host, HostPhase.CLEANING, "", now);
      case RUNNING, STOPPED -> clean(host, now);
      case CLEANING -> {
        Instant clean = host.report().since().plus(timings.clean());
        yield now.isBefore(clean) ? Next.at(clean) : report(host, HostPhase.FREE, "", now);
      }
    };
  }

  /** A phase that takes no time is not written. */
  private Next clean(Host host, Instant now) {
    return report(host, timings.clean().isZero() ? HostPhase.FREE : HostPhase.CLEANING, "", now);
  }

  private Next report(Host host, HostPhase phase, String configuration, Instant now) {
    Host.Boot last = host.report().boot();
    Host.Boot boot =
        phase == HostPhase.RUNNING
            ? last.first(Reboots.firstBootId(seed, host), configuration)
            : last.ended();
    return Next.report(host, host.report().inPhase(phase, host.tenancy(), boot, now));
  }
}
