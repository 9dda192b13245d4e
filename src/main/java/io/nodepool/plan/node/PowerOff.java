package io.nodepool.plan.node;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.LiveRead;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Stops a machine whose Node is not known. The watch may be late, and Pods may outlive their Node
 * object; a live read therefore comes first, and a Node or Pods that it finds keep the machine
 * running. A machine with a known Node is stopped only by {@link NodeTermination}.
 */
public final class PowerOff {
  /** How long the result of a live read stays valid. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  private PowerOff() {}

  /**
   * The next action, if there is one now.
   *
   * @param liveRead the result of the last live read
   * @param failed the delivery history to record on the Host; empty if the Host is not at fault
   * @param eventDrafts Events to emit before the machine is stopped
   */
  public static Optional<PlannedAction> plannedAction(
      Host host,
      PoolId pool,
      Optional<LiveRead> liveRead,
      Optional<DeliveryHistory> failed,
      List<EventDraft> eventDrafts,
      String why,
      Instant now) {
    Optional<LiveRead> fresh = liveRead.filter(seen -> now.isBefore(seen.at().plus(FRESH)));
    if (fresh.isEmpty()) {
      return Optional.of(
          PlannedAction.quiet(new Action.ReadMachine(host.id(), host.tenancy()), why));
    }
    return fresh.get().nodeFound() || fresh.get().pods() > 0
        ? Optional.empty()
        : Optional.of(
            new PlannedAction(
                eventDrafts,
                new Action.OnHost(new HostOperation.Stop(host.id(), host.tenancy(), pool, failed)),
                why));
  }

  /** When to read again, if the last live read keeps the machine running. */
  public static Optional<Instant> nextRead(Optional<LiveRead> liveRead, Instant now) {
    return liveRead.map(seen -> seen.at().plus(FRESH)).filter(at -> at.isAfter(now));
  }
}
