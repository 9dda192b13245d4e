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
 * What one cause, or several together, demand of a Node (decisions D65 and D66). Demands merge into
 * one: each class of ending keeps its strongest ending and the earliest of each instant. The merge
 * is commutative, associative and idempotent, so the order and the repetition of causes change
 * nothing. Which class is carried out is chosen afterwards.
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
     * The limits of a disruption that is committed to this now. If the operator is so late that the
     * Pods would have no time left, they still get the forced time; nothing else moves an instant
     * that was set from outside (decision D67).
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
   * @param notBefore until when even an idle Node is not touched; {@link Instant#MIN} for no wait
   * @param interruptAt from when on busy work may be interrupted; {@link Instant#MAX} for never,
   *     which means only once the Node is idle
   * @param forceAt from when on PodDisruptionBudgets are ignored; {@link Instant#MAX} for never
   * @param stopAt when the machine stops, whatever Pods are left; {@link Instant#MAX} for never
   */
  @RecordBuilder
  public record Window(Instant notBefore, Instant interruptAt, Instant forceAt, Instant stopAt)
      implements DemandWindowCopy.With {
    /** Only while the Node is idle, and then at once. */
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

    /** Whether the time of the machine's stop was set from outside. */
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
   * The part that is carried out: the strongest class. On a busy Node it is the strongest class
   * that may ever interrupt work, if there is one: a demand that waits for an idle Node does not
   * hide it.
   */
  public Part carriedOut(boolean busy) {
    return parts.reversed().stream()
        .filter(part -> !busy || part.window().interruptAt().isBefore(Instant.MAX))
        .findFirst()
        .orElseGet(parts::getLast);
  }

  /** The part for which the Node leaves; empty if it stays. */
  public Optional<Part> leaving() {
    return Optional.of(parts.getLast())
        .filter(part -> part.ending() instanceof DisruptionEnding.Leave);
  }
}
