package io.nodepool.plan.node;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.LiveLook;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Stops a machine of which no Node is known. The watch may be late, and Pods may outlive their Node
 * object: so a live look comes first, and what it finds keeps the machine. A machine whose Node is
 * known goes by {@link NodeTermination} and no other way.
 */
public final class PowerOff {
  /** How long a look is worth something. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  private PowerOff() {}

  /**
   * The next step, if there is one now.
   *
   * @param look what the last look found
   * @param failed what is held against the Host from now on; empty if it is not at fault
   * @param eventDrafts what is emitted before the machine is stopped
   */
  public static Optional<PlannedAction> plannedAction(
      Host host,
      PoolId pool,
      Optional<LiveLook> look,
      Optional<DeliveryHistory> failed,
      List<EventDraft> eventDrafts,
      String why,
      Instant now) {
    Optional<LiveLook> fresh = look.filter(seen -> now.isBefore(seen.at().plus(FRESH)));
    if (fresh.isEmpty()) {
      return Optional.of(
          PlannedAction.quiet(new Action.LookAtMachine(host.id(), host.tenancy()), why));
    }
    return fresh.get().nodeFound() || fresh.get().pods() > 0
        ? Optional.empty()
        : Optional.of(
            new PlannedAction(
                eventDrafts,
                new Action.OnHost(new HostOperation.Stop(host.id(), host.tenancy(), pool, failed)),
                why));
  }

  /** When to look again where the last look keeps the machine. */
  public static Optional<Instant> lookAgain(Optional<LiveLook> look, Instant now) {
    return look.map(seen -> seen.at().plus(FRESH)).filter(at -> at.isAfter(now));
  }
}
