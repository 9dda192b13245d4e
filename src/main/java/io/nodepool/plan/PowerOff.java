package io.nodepool.plan;

import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Look;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Stops a machine of which no Node is known. The watch may be late, and Pods may outlive their Node
 * object: so a live look comes first, and what it finds keeps the machine. A machine whose Node is
 * known goes by {@link Departure} and no other way.
 */
final class PowerOff {
  /** How long a look is worth something. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  private PowerOff() {}

  /**
   * The next step, if there is one now.
   *
   * @param look what the last look found
   * @param failed what is held against the Host from now on; empty if it is not at fault
   * @param notices what is emitted before the machine is stopped
   */
  static Optional<Step> step(
      Host host,
      PoolId pool,
      Optional<Look> look,
      Optional<Deliveries> failed,
      List<Notice> notices,
      String why,
      Instant now) {
    Optional<Look> fresh = look.filter(seen -> now.isBefore(seen.at().plus(FRESH)));
    if (fresh.isEmpty()) {
      return Optional.of(Step.quiet(new Action.LookAtMachine(host.id(), host.tenancy()), why));
    }
    return fresh.get().nodeFound() || fresh.get().pods() > 0
        ? Optional.empty()
        : Optional.of(
            new Step(
                notices,
                new Action.OnHost(new HostOperation.Stop(host.id(), host.tenancy(), pool, failed)),
                why));
  }

  /** When to look again where the last look keeps the machine. */
  static Optional<Instant> lookAgain(Optional<Look> look, Instant now) {
    return look.map(seen -> seen.at().plus(FRESH)).filter(at -> at.isAfter(now));
  }
}
