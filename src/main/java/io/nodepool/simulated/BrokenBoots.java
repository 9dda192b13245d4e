package io.nodepool.simulated;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides which boots go wrong because of their configuration. A pure function of the Hosts: the
 * number of a boot is its place among the recorded boots into such a configuration, first the boots
 * that ended, then by time. So a restart changes nothing; a boot that its machine has left is not
 * counted.
 */
final class BrokenBoots {
  /** A boot in progress, or the last boot of its machine. */
  private record Boot(boolean underWay, Instant at, String host) {
    static final Comparator<Boot> IN_TURN =
        Comparator.comparing(Boot::underWay).thenComparing(Boot::at).thenComparing(Boot::host);
  }

  private final List<BrokenConfiguration> broken;
  private final Supplier<Stream<Host>> hosts;

  /**
   * @param hosts all Hosts of the data centre, as last observed
   */
  BrokenBoots(List<BrokenConfiguration> broken, Supplier<Stream<Host>> hosts) {
    this.broken = broken;
    this.hosts = hosts;
  }

  /** Whether this mishap affects the machine's boot in progress, or its last boot. */
  boolean breaks(RebootMishaps.Kind kind, Host host) {
    return broken.stream()
        .filter(each -> each.kind() == kind)
        .anyMatch(each ->
            boot(each, host).filter(own -> number(each, own) >= each.fromBoot()).isPresent());
  }

  /** Whether a machine that is otherwise in order fails in this configuration. */
  boolean letsFail(String configuration) {
    return broken.stream()
        .filter(each -> each.kind() == RebootMishaps.Kind.FAIL)
        .anyMatch(each -> each.contains(configuration));
  }

  private long number(BrokenConfiguration configuration, Boot own) {
    return configuration.fromBoot() <= 1
        ? 1
        : 1
            + hosts
                .get()
                .filter(host -> !host.id().name().equals(own.host()))
                .flatMap(host -> boot(configuration, host).stream())
                .filter(other -> Boot.IN_TURN.compare(other, own) < 0)
                .count();
  }

  private static Optional<Boot> boot(BrokenConfiguration configuration, Host host) {
    String name = host.id().name();
    if (host.isBooting()) {
      return host.assignment()
          .map(Assignment::at)
          .filter(_ -> configuration.contains(host.configuration()))
          .map(at -> new Boot(true, at, name));
    }
    if (!host.is(HostPhase.RUNNING)) {
      return Optional.empty();
    }
    Host.Boot last = host.report().boot();
    return last.cycle()
        .map(cycle ->
            Optional.of(new Boot(true, cycle.at(), name))
                .filter(_ -> configuration.contains(Reboots.bootsInto(host, cycle))))
        .orElseGet(() ->
            Optional.of(new Boot(false, last.at().orElse(host.report().since()), name))
                .filter(_ -> configuration.contains(last.configuration())));
  }
}
