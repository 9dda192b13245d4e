package io.nodepool.plan.disruption;

import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one cause, or several together, want of a Node (decisions D65 and D66). Demands merge into
 * one: for each class of ending the strongest ending with the earliest of each instant. The merge
 * is commutative, associative and idempotent, so the order in which causes arrive, and how often,
 * does not matter. Which class is carried out is chosen afterwards.
 *
 * @param parts what is demanded, for each class of ending by itself: the weakest first
 */
public record Demand(List<Part> parts) {
  /**
   * What is demanded for one class of ending.
   *
   * @param ending what the disruption ends in
   * @param window when the Node may be touched, and how hard
   */
  public record Part(DisruptionEnding ending, Window window) {
    Part and(Part other) {
      return new Part(ending.or(other.ending), window.and(other.window));
    }

    /**
     * The limits of a disruption that is committed to this now. If the operator comes so late that
     * the Pods would have no time left, they get the time of the force; nothing else moves an
     * instant that was set from outside (decision D67).
     *
     * @param forced the time that Pods have from the force to the stop
     */
    public DisruptionLimits limits(Instant now, Duration forced) {
      Instant force = later(window.forceAt(), now);
      Instant stop = later(window.stopAt(), force.plus(forced));
      return new DisruptionLimits(
          ending, force, Optional.of(stop).filter(_ -> window.isFromOutside()));
    }

    private static Instant later(Instant one, Instant other) {
      return one.isAfter(other) ? one : other;
    }
  }

  /**
   * The instants of a demand.
   *
   * @param notBefore until then even an idle Node stays; {@link Instant#MIN} if it need not
   * @param interruptAt from when on busy work may be interrupted; {@link Instant#MAX} for never,
   *     which means only once the Node is idle
   * @param forceAt from when on PodDisruptionBudgets are not asked; {@link Instant#MAX} for never
   * @param stopAt when the machine goes with whatever is left; {@link Instant#MAX} for never
   */
  @RecordBuilder
  public record Window(Instant notBefore, Instant interruptAt, Instant forceAt, Instant stopAt)
      implements DemandWindowCopy.With {
    /** At once if the Node is idle, and not otherwise. */
    public static final Window WHEN_IDLE =
        new Window(Instant.MIN, Instant.MAX, Instant.MAX, Instant.MAX);

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
    SortedMap<Integer, Part> classes = new TreeMap<>();
    parts.forEach(part -> classes.merge(part.ending().strength(), part, Part::and));
    parts = List.copyOf(classes.values());
  }

  /** The demand of one cause. */
  public static Demand of(Window window, DisruptionEnding ending) {
    return new Demand(List.of(new Part(ending, window)));
  }

  /** This demand and another one. */
  public Demand and(Demand other) {
    return new Demand(Stream.concat(parts.stream(), other.parts.stream()).toList());
  }

  /**
   * What is carried out: the strongest class. While the Node is busy it is the strongest one that
   * may ever interrupt work, if there is one: a demand that waits for an idle Node hides none that
   * does not wait.
   */
  public Part carriedOut(boolean busy) {
    return parts.reversed().stream()
        .filter(part -> !busy || part.window().interruptAt().isBefore(Instant.MAX))
        .findFirst()
        .orElseGet(parts::getLast);
  }

  /** What is demanded of a Node that leaves; empty if it need not. */
  public Optional<Part> leaving() {
    return Optional.of(parts.getLast())
        .filter(part -> part.ending() instanceof DisruptionEnding.Leave);
  }
}
