package io.nodepool.plan.disruption;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What one cause, or several together, want of a Node (decisions D65 and D66). Demands merge into
 * one: the earliest of each instant, the strongest ending, all causes. The merge is commutative,
 * associative and idempotent, so the order in which causes arrive, and how often, does not matter.
 *
 * @param causes the causes, in their order, without repetition
 * @param window when the Node may be touched, and how hard
 * @param ending what the disruption ends in
 */
public record Demand(List<Disruption.Cause> causes, Window window, DisruptionEnding ending) {
  /**
   * The instants of a demand.
   *
   * @param notBefore until then even an idle Node stays; {@link Instant#MIN} if it need not
   * @param interruptAt from when on busy work may be interrupted; {@link Instant#MAX} for never,
   *     which means only once the Node is idle
   * @param forceAt from when on PodDisruptionBudgets are not asked; {@link Instant#MAX} for never
   * @param stopAt when the machine goes with whatever is left; {@link Instant#MAX} for never
   */
  public record Window(Instant notBefore, Instant interruptAt, Instant forceAt, Instant stopAt) {
    /** At once if the Node is idle, and not otherwise. */
    public static final Window WHEN_IDLE =
        new Window(Instant.MIN, Instant.MAX, Instant.MAX, Instant.MAX);

    /** This window with another instant from which on busy work may be interrupted. */
    public Window withInterruptAt(Instant next) {
      return new Window(notBefore, next, forceAt, stopAt);
    }

    /** This window with another deadline of the drain. */
    public Window withForceAt(Instant next) {
      return new Window(notBefore, interruptAt, next, stopAt);
    }

    Window and(Window other) {
      return new Window(
          earlier(notBefore, other.notBefore),
          earlier(interruptAt, other.interruptAt),
          earlier(forceAt, other.forceAt),
          earlier(stopAt, other.stopAt));
    }

    /** Whether busy work may be interrupted now. */
    public boolean mayInterrupt(Instant now) {
      return !now.isBefore(interruptAt);
    }

    /** Whether an instant was set from outside at which the machine goes. */
    public boolean isFromOutside() {
      return stopAt.isBefore(Instant.MAX);
    }

    private static Instant earlier(Instant one, Instant other) {
      return one.isBefore(other) ? one : other;
    }
  }

  public Demand {
    causes = causes.stream().sorted().distinct().toList();
  }

  /** The demand of one cause. */
  public static Demand of(Disruption.Cause cause, Window window, DisruptionEnding ending) {
    return new Demand(List.of(cause), window, ending);
  }

  /** This demand and another one. */
  public Demand and(Demand other) {
    return new Demand(
        Stream.concat(causes.stream(), other.causes.stream()).toList(),
        window.and(other.window),
        ending.or(other.ending));
  }

  /** All of these demands in one; empty if there are none. */
  public static Optional<Demand> merged(Collection<Demand> demands) {
    return demands.stream().reduce(Demand::and);
  }
}
