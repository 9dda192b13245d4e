package io.nodepool.world.check.consent;

import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.Instant;

/**
 * What allows the operator to interrupt work on a Node.
 *
 * @param ground what clients, the fleet or a machine did
 * @param forceAt from when on budgets need not be asked, at the earliest; {@link Instant#MAX} for
 *     the deadline of every drain
 */
public record Consent(Ground ground, Instant forceAt) {
  /** The longest time in which the operator follows what it can observe, by its own clock. */
  public static final Duration REACTION = Duration.ofSeconds(8);

  /** What it follows from. */
  public enum Ground {
    /** The fleet announced that it reclaims the machine, and the warning is over. */
    PREEMPTION,
    /** The Node has to leave a pool that also removes busy Nodes. */
    STRATEGY,
    /** The pool was removed although it holds the machine. */
    ORPHANED,
    /** The machine does not belong to the tenancy of the Node any more. */
    ABANDONED,
    /** The machine did not come back from the reboot that it was asked for. */
    NOT_BACK,
    /** The request on the Node is immediate. */
    IMMEDIATE,
    /** A user started a rollout that evicts. */
    ROLLOUT
  }

  /** A consent under which budgets are respected until the deadline of every drain. */
  public static Consent of(Ground ground) {
    return new Consent(ground, Instant.MAX);
  }

  /** When budgets need not be asked any more, in a drain that began at this instant. */
  public Instant forceAt(Instant begun) {
    Instant deadline = begun.plus(shortest(PlanSettings.DEFAULTS.drain().deadline()));
    return forceAt.isBefore(deadline) ? forceAt : deadline;
  }

  /**
   * The shortest time in which this span can pass on the operator's clock, which is at most 1 %
   * fast (decision D85).
   */
  public static Duration shortest(Duration span) {
    return span.minus(span.dividedBy(100)).minusSeconds(1);
  }

  /**
   * Whether an operator must have observed what was the case from one instant to the other.
   *
   * @param calm since when an operator can observe everything
   */
  public static boolean isSeen(Instant from, Instant to, Instant calm) {
    return !calm.isAfter(from) && !to.isBefore(from.plus(REACTION));
  }
}
