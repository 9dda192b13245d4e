package io.nodepool.simulated;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import java.time.Instant;
import java.util.Optional;

/**
 * Converts the times on a Host to the data centre's own clock. The client that assigns a Host
 * writes the time of its clock, which may be an hour ahead or behind; that must not change how long
 * a machine boots. So an interval that begins while the data centre watches counts from its
 * observation. An interval that it finds at its start counts from the written time, but never from
 * the future.
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
    return seen.withOccupancy(
            seen.occupancy()
                .withAssignment(assignment)
                .withBoot(seen.boot().map(request -> requested(request, before, now)))
                .withRepairs(
                    seen.occupancy().repairs().stream()
                        .map(request -> requested(request, before, now))
                        .toList()))
        .withReport(
            seen.report()
                .withSince(reported(seen.report(), before, now))
                .withBoot(booted(seen.report().boot(), before, now)));
  }

  private static BootRequest requested(BootRequest request, Optional<Host> before, Instant now) {
    if (before.isEmpty()) {
      return request.withAt(earlier(request.at(), now));
    }
    return request.withAt(
        before
            .flatMap(Host::boot)
            .filter(last -> last.from().equals(request.from()))
            .filter(last -> last.isOf(request.operation()) && last.attempt() == request.attempt())
            .map(BootRequest::at)
            .orElse(now));
  }

  private static ComponentRepair requested(
      ComponentRepair request, Optional<Host> before, Instant now) {
    Instant at =
        before.isEmpty()
            ? earlier(request.at(), now)
            : before
                .flatMap(host -> host.repair(request.alert()))
                .filter(last -> last.attempt() == request.attempt())
                .map(ComponentRepair::at)
                .orElse(now);
    return new ComponentRepair(
        request.alert(), request.component(), request.attempt(), at, request.earlier());
  }

  private static Host.Boot booted(Host.Boot boot, Optional<Host> before, Instant now) {
    Optional<Host.Boot> last = before.map(host -> host.report().boot());
    Optional<Instant> at =
        boot.at()
            .map(own ->
                last.filter(each -> each.id().equals(boot.id()))
                    .flatMap(Host.Boot::at)
                    .orElse(earlier(own, now)));
    Optional<Host.Cycle> cycle =
        boot.cycle()
            .map(own ->
                last.filter(each -> each.cycles() == boot.cycles())
                    .flatMap(Host.Boot::cycle)
                    .map(Host.Cycle::at)
                    .map(own::withAt)
                    .orElse(own.withAt(earlier(own.at(), now))));
    return boot.withAt(at).withCycle(cycle);
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
    return assignment.withAt(at);
  }
}
