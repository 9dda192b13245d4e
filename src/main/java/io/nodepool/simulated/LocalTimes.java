package io.nodepool.simulated;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import java.time.Instant;
import java.util.Optional;

/**
 * Converts the times on a Host to the data centre's own clock. The client that assigns a Host
 * writes the time of its clock, which may be an hour ahead or behind; that must not change how long
 * a machine boots. So an interval that begins while the data centre watches begins when it is
 * observed; one that it finds when it starts begins as written, but never in the future.
 */
public final class LocalTimes {
  private LocalTimes() {}

  /**
   * Returns the Host with times of the data centre's own clock.
   *
   * @param last the result for the Host's previous state; empty for the first one
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
