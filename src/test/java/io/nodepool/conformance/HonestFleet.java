package io.nodepool.conformance;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.JoinedNode;
import io.nodepool.simulated.MachineLife;
import io.nodepool.simulated.Next;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The machines of the data centre as a fleet that reports all that the contract knows: the phase
 * Booting, and the power, which it reads anew every ten minutes. It carries out what it offers.
 */
class HonestFleet {
  private static final Duration RENEWAL = Duration.ofMinutes(10);

  private final MachineLife life;
  private final FleetOffer.Capabilities capabilities;

  HonestFleet(
      DataCentre dataCentre, FleetOffer.Capabilities capabilities, Supplier<Stream<Host>> hosts) {
    this.life = new MachineLife(dataCentre, hosts);
    this.capabilities = capabilities;
  }

  /** What the fleet does next for this Host. */
  Next next(Host host, Optional<Node> node, Instant now) {
    if (host.assignment().isPresent()
        && host.power() == Host.Power.ON
        && host.report().phase() == HostPhase.FREE) {
      return report(
          host,
          host.report()
              .inPhase(HostPhase.BOOTING, host.tenancy(), host.report().boot().ended(), now),
          now);
    }
    Next next =
        life.next(
            offered(host), node.map(each -> JoinedNode.of(each, host)), Optional.empty(), now);
    if (next.action().orElse(null) instanceof FleetAction.ReportHost(_, Host.Report report)) {
      return report(host, report, now);
    }
    if (next.action().isPresent()) {
      return next;
    }
    Instant renewal = host.report().power().map(each -> each.checkedAt().plus(RENEWAL)).orElse(now);
    return renewal.isAfter(now)
        ? new Next(
            Optional.empty(),
            Optional.of(next.wakeup().filter(each -> each.isBefore(renewal)).orElse(renewal)))
        : report(host, host.report(), now);
  }

  /** The Host without a request that the fleet does not offer to carry out. */
  Host offered(Host host) {
    return host.boot().filter(each -> !capabilities.offers(each.kind())).isPresent()
        ? host.withOccupancy(host.occupancy().withBoot(Optional.empty()))
        : host;
  }

  static Next report(Host host, Host.Report report, Instant now) {
    return new Next(
        Optional.of(
            new FleetAction.ReportHost(host, report.withPower(Optional.of(power(report, now))))),
        Optional.empty());
  }

  private static Host.PowerReading power(Host.Report report, Instant now) {
    boolean on =
        switch (report.phase()) {
          case BOOTING, RUNNING -> true;
          case FREE, STOPPED, CLEANING, FAILED -> false;
        };
    return new Host.PowerReading(
        on ? Host.PowerReading.State.ON : Host.PowerReading.State.OFF, now);
  }
}
