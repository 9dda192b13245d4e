package io.nodepool.world.check.consent;

import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.Instant;

/**
 * What allows the operator to interrupt work on a Node: what clients, the fleet or a machine did.
 *
 * @param term how long a drain has it that began with it
 * @param forceAt from when on budgets need not be asked, at the earliest; {@link Instant#MAX} for
 *     the deadline of every drain
 */
public record Consent(Term term, Instant forceAt) {
  /** How long a drain has a consent that it began with. */
  public enum Term {
    /** Until its end, whatever becomes of its reason. */
    LASTS,
    /** Until its rollout ends, or the instant of force has come. */
    ROLLOUT,
    /** While its reason stands: each eviction asks for it anew. */
    ASKED
  }

  /** A consent under which budgets are respected until the deadline of every drain. */
  public static final Consent LASTING = new Consent(Term.LASTS, Instant.MAX);

  /** That of a user who started a rollout that evicts; it ends with the rollout. */
  public static final Consent OF_ROLLOUT = new Consent(Term.ROLLOUT, Instant.MAX);

  /** The longest time in which the operator follows what it can observe, by its own clock. */
  public static final Duration REACTION = Duration.ofSeconds(8);

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
