package io.nodepool.plan.disruption;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.DisruptionCause;
import java.time.Instant;
import java.util.Optional;

/**
 * The preemption of a spot Node (seed 004, decisions D67 and D70): its fleet announces on the Host
 * that it reclaims the machine. The Node is cordoned at once, drained after the warning even if it
 * is idle, because clients rely on the timeline, and gone at the end of the window.
 */
public final class Preemption {
  private Preemption() {}

  /** The demand while the fleet's notice stands on a Host that a spot pool holds. */
  public static Optional<Demand> demand(Host host, PlanSettings.PreemptionSettings settings) {
    return host.preemption().map(notice -> demand(notice, settings));
  }

  /** The demand that follows from this notice. */
  public static Demand demand(Reclaim notice, PlanSettings.PreemptionSettings settings) {
    Instant announced = notice.announcedAt();
    Instant longest = announced.plus(settings.window());
    Instant stop = notice.reclaimAt().isBefore(longest) ? notice.reclaimAt() : longest;
    Instant force = stop.minus(settings.forced());
    Instant warned = announced.plus(settings.warning());
    Instant drain = warned.isBefore(force) ? warned : force;
    return Demand.of(
        new Disruption.Cause(DisruptionCause.PREEMPTION, announced.toString(), announced),
        new Demand.Window(drain, drain, force, stop),
        new DisruptionEnding.Leave());
  }
}
