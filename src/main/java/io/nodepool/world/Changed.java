package io.nodepool.world;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import java.util.Optional;

/** Objects with one thing changed, under a new version. */
final class Changed {
  private Changed() {}

  static Host tenant(
      Host host,
      long version,
      int tenancy,
      Optional<Assignment> assignment,
      String configuration,
      Host.Power power,
      Deliveries deliveries) {
    return new Host(
        host.id(),
        version,
        host.machine(),
        tenancy,
        assignment,
        configuration,
        power,
        deliveries,
        host.report());
  }

  static Host report(Host host, long version, Host.Report report) {
    return new Host(
        host.id(),
        version,
        host.machine(),
        host.tenancy(),
        host.assignment(),
        host.configuration(),
        host.power(),
        host.deliveries(),
        report);
  }
}
