package io.nodepool.simulated;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import java.time.Instant;
import java.util.Optional;

/**
 * Times on a Host by the data centre's own clock. Who assigns a Host writes the time of another
 * clock, which may be an hour ahead or behind, and no machine takes longer or shorter to boot
 * because of it. So what begins while the data centre watches begins when that is seen; what it
 * finds when it starts is read as written, and never lies ahead.
 */
public final class LocalTimes {
  private LocalTimes() {}

  /**
   * The Host with times of the data centre's own.
   *
   * @param last what this returned for the Host's state before; empty for the first that is seen
   */
  public static Host of(Host seen, Optional<Host> last, Instant now) {
    Optional<Host> before = last.filter(host -> host.id().equals(seen.id()));
    Optional<Assignment> assignment =
        seen.assignment().map(each -> since(each, assigned(seen, each, before, now)));
    return seen.withOccupancy(seen.occupancy().withAssignment(assignment))
        .withReport(seen.report().withSince(reported(seen.report(), before, now)));
  }

  private static Instant assigned(
      Host seen, Assignment assignment, Optional<Host> before, Instant now) {
    if (before.isEmpty()) {
      return earlier(assignment.at(), now);
    }
    return before
        .filter(host -> host.tenancy() == seen.tenancy())
        .flatMap(Host::assignment)
        .map(Assignment::at)
        .orElse(now);
  }

  private static Instant reported(Host.Report report, Optional<Host> before, Instant now) {
    return before
        .map(Host::report)
        .filter(last -> last.phase() == report.phase() && last.tenancy() == report.tenancy())
        .map(Host.Report::since)
        .orElse(earlier(report.since(), now));
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Assignment since(Assignment assignment, Instant at) {
    return new Assignment(
        assignment.pool(),
        assignment.computeClass(),
        assignment.operation(),
        at,
        assignment.node());
  }
}
