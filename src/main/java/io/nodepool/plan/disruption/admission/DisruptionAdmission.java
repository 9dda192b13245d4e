package io.nodepool.plan.disruption.admission;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Optional;

/**
 * Which disruptions may be admitted now (decisions D13, D67, D68 and D220). One object serves a
 * whole plan, and counts what the plan admits. It is asked before the cordon and at the commitment,
 * for each cause by itself. A cause that is held contributes neither instants nor an ending, and
 * stays recorded.
 */
public final class DisruptionAdmission {
  /** The greatest number of Nodes that one plan cordons: enough to keep the API server busy. */
  public static final int MOST_AT_ONCE = 128;

  /** What holds a disruption back. */
  public enum Limit {
    /** A user has paused the pool. */
    PAUSED,
    /** The fleet cannot be reached. */
    FLEET_UNKNOWN,
    /** The owner of the machine works on it, or the fleet does not know its power. */
    MACHINE,
    /** No operator watched for a while, until just now. */
    UNWATCHED,
    /** The alert catalogue cannot be read, so the grades of alerts are not known. */
    CATALOGUE_UNREADABLE,
    /** This plan cordons as many Nodes as one plan may. */
    AT_ONCE,
    /** Too many Nodes of the pool are unavailable, for whatever cause. */
    UNAVAILABLE,
    /** Too many Nodes in a row left the pool for this cause, until a person releases it. */
    IN_A_ROW,
    /** Too many Nodes leave the pool for this cause at present. */
    IN_FLIGHT,
    /** Too many Nodes of all pools leave for this cause at present. */
    IN_FLIGHT_IN_FLEET,
    /** The last Node left the pool for this cause just now, or the operator has just started. */
    RATE
  }

  /** The answer to what a cause demands. */
  public sealed interface Decision {
    /** It is admitted, or goes on. */
    record Admitted() implements Decision {}

    /**
     * It waits.
     *
     * @param limit what holds it
     * @param count how much of the limit is used; 1 for a brake
     * @param most the value of the limit; 0 for a brake
     */
    record Held(Limit limit, int count, int most) implements Decision {}

    /** Whether it is admitted. */
    default boolean isAdmitted() {
      return this instanceof Admitted;
    }
  }

  private static final Decision ADMITTED = new Decision.Admitted();

  /** The pool; empty for one that is being deleted. */
  private final Optional<Pool> pool;

  private final boolean fleetIsKnown;

  /** Why nothing begins on the machine; empty for a plan of a pool. */
  private final Optional<Host.Hold> hold;

  private final Optional<UnavailableNodes> level;
  private int admitted;

  private DisruptionAdmission(
      Optional<Pool> pool,
      boolean fleetIsKnown,
      Optional<Host.Hold> hold,
      Optional<UnavailableNodes> level) {
    this.pool = pool.filter(each -> !each.isTerminating());
    this.fleetIsKnown = fleetIsKnown;
    this.hold = hold;
    this.level = level;
  }

  /** The admission of a plan of a pool. */
  public static DisruptionAdmission of(PoolSnapshot seen) {
    return of(
        Optional.of(seen.pool()),
        seen.offer() instanceof PoolSnapshot.Offer.Known,
        Optional.empty());
  }

  /**
   * The admission of a plan of a machine.
   *
   * @param pool the pool that holds it, if it exists
   * @param fleetIsKnown whether the fleet can be reached
   * @param hold why nothing begins on it; empty if nothing prevents that
   */
  public static DisruptionAdmission of(
      Optional<Pool> pool, boolean fleetIsKnown, Optional<Host.Hold> hold) {
    return new DisruptionAdmission(pool, fleetIsKnown, hold, Optional.empty());
  }

  /** This admission, within this level, which unavailable Nodes use up, whatever their cause. */
  public DisruptionAdmission within(UnavailableNodes next) {
    return new DisruptionAdmission(pool, fleetIsKnown, hold, Optional.of(next));
  }

  /** Whether the demand of this cause may be admitted, or committed, now. */
  public Decision ask(Disruption.Cause cause, Demand demand) {
    if (hold.isPresent() && (!cause.leaves() || cause.what().isRepair())) {
      return new Decision.Held(Limit.MACHINE, 1, 0);
    }
    // An instant from outside does not wait for the fleet, but a boot needs the fleet.
    Demand.Part wanted = demand.carriedOut(false);
    boolean free =
        wanted.ending() instanceof DisruptionEnding.Leave && wanted.window().isFromOutside();
    return braked(cause.rule(), free);
  }

  /**
   * The decision of the brakes alone, without the counted limits.
   *
   * @param isFree whether the cause does not wait for the fleet
   */
  private Decision braked(CauseRule rule, boolean isFree) {
    if (isPaused(rule)) {
      return new Decision.Held(Limit.PAUSED, 1, 0);
    }
    return isFree || fleetIsKnown ? ADMITTED : new Decision.Held(Limit.FLEET_UNKNOWN, 1, 0);
  }

  /**
   * Whether a Node may be cordoned now for a cause of the pool; counts it if so. The Nodes of a
   * rack that is unavailable already, and was admitted, take no room.
   *
   * @param isAdmitted whether its rack was admitted
   */
  public Decision admit(KnownCause cause, Member member, boolean isAdmitted) {
    Decision braked = braked(cause.rule(), false);
    if (!braked.isAdmitted()) {
      return braked;
    }
    Optional<UnavailableNodes> full =
        level.filter(each -> !each.hasRoom() && !(isAdmitted && each.contains(member)));
    if (full.isPresent()) {
      return new Decision.Held(Limit.UNAVAILABLE, full.get().count(), full.get().most());
    }
    if (admitted >= MOST_AT_ONCE) {
      return new Decision.Held(Limit.AT_ONCE, admitted, MOST_AT_ONCE);
    }
    admitted++;
    level.ifPresent(each -> each.add(member));
    return ADMITTED;
  }

  /**
   * Whether this Node, whose machine did not come back from this reboot, may leave: its pool must
   * have recorded that.
   */
  public boolean mayLeave(Node node, Disruption.Committed reboot) {
    return pool.map(each -> each.status().failedReboots().admits(node.hostUid(), reboot.name()))
        .orElse(true);
  }

  /** Whether a user has paused all disruptions with this rule. */
  public boolean isPaused(CauseRule rule) {
    return rule.pauses() && pause().isSet();
  }

  private PoolSpec.Pause pause() {
    return pool.map(each -> each.spec().pause()).orElse(PoolSpec.Pause.NONE);
  }

  /** What holds the machine, in words; empty text if nothing does. */
  public String holdText() {
    return hold.map(Host.Hold::text).orElse("");
  }

  /** The pause of the user in a sentence: {@code "No Node begins, because " + pauseText()}. */
  public String pauseText() {
    return pause().isMisspelt()
        ? "the pool is paused (annotation %s: %s is neither true nor false and counts as true)"
            .formatted(PoolAnnotations.PAUSED.key(), UserText.quoted(pause().text()))
        : "the pool is paused";
  }
}
