package io.nodepool.whatif;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.simulated.DataCentre;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * How long machines take: the shortest and the longest duration that Hosts record, with a margin; a
 * default if Hosts record none.
 */
public record Durations(Range boot, Range reboot, Range verification) {
  /** A shortest and a longest duration. */
  record Range(Duration shortest, Duration longest) {}

  /** The next sample may be outside the range of few samples. */
  private static final double MARGIN = 0.25;

  private static final Range BOOT = new Range(Duration.ofMinutes(10), Duration.ofMinutes(30));
  private static final Range REBOOT = new Range(Duration.ofMinutes(2), Duration.ofMinutes(10));
  private static final Range VERIFICATION =
      new Range(Duration.ofMinutes(5), Duration.ofMinutes(20));

  /** No Host records how long its machine was cleaned. */
  private static final Duration CLEAN = Duration.ofMinutes(5);

  /** The durations that these Hosts record. */
  public static Durations of(List<Host> hosts) {
    return new Durations(
        range(hosts, Durations::boot, BOOT),
        range(hosts, Durations::reboot, REBOOT),
        range(hosts, Durations::verification, VERIFICATION));
  }

  /** The timings of a data centre whose machines take this share of their ranges, 0 to 1. */
  public DataCentre.Timings timings(double share) {
    Duration first = at(boot, share);
    return new DataCentre.Timings(
        first,
        first,
        CLEAN,
        DataCentre.Timings.RECLAIM_WINDOW,
        at(reboot, share),
        at(verification, share));
  }

  private static Duration at(Range range, double share) {
    return range
        .shortest()
        .plusMillis((long) (range.longest().minus(range.shortest()).toMillis() * share));
  }

  private static Range range(
      List<Host> hosts, Function<Host, Optional<Duration>> sample, Range otherwise) {
    List<Duration> samples =
        hosts.stream()
            .flatMap(host -> sample.apply(host).stream())
            .filter(Duration::isPositive)
            .sorted()
            .toList();
    return samples.isEmpty()
        ? otherwise
        : new Range(scaled(samples.getFirst(), 1 - MARGIN), scaled(samples.getLast(), 1 + MARGIN));
  }

  private static Duration scaled(Duration time, double factor) {
    return Duration.ofMillis((long) (time.toMillis() * factor));
  }

  /** From the assignment to the first boot of this tenancy. */
  private static Optional<Duration> boot(Host host) {
    return Optional.of(host)
        .filter(each -> each.is(HostPhase.RUNNING))
        .flatMap(Host::assignment)
        .map(Assignment::at)
        .map(at -> Duration.between(at, host.report().since()));
  }

  /** From the last request of a boot to that boot. */
  private static Optional<Duration> reboot(Host host) {
    return host.boot()
        .filter(request -> request.kind().boots())
        .flatMap(
            request -> host.report().boot().at().map(at -> Duration.between(request.at(), at)));
  }

  /** From the boot, else from the request, to the answer. */
  private static Optional<Duration> verification(Host host) {
    return host.boot()
        .flatMap(request ->
            host.report()
                .boot()
                .verification()
                .filter(answer -> answer.answers(host.report().bootId(), request))
                .flatMap(answer -> verified(host, request, answer)));
  }

  private static Optional<Duration> verified(
      Host host, BootRequest request, Host.Verification answer) {
    Optional<Instant> begin =
        request.kind().boots() ? host.report().boot().at() : Optional.of(request.at());
    return begin.map(at -> Duration.between(at, answer.at()));
  }
}
