package io.nodepool.model.node;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The stage of a Node's disruption. It is recorded on the Node, so that the operator may die
 * between any two steps.
 */
public sealed interface Disruption {
  /**
   * The number of disruptions that were admitted on this Node so far, this one included; it
   * distinguishes their Events.
   */
  int sequence();

  /** When the stage was entered. */
  Instant at();

  /** The disruption under way; empty if there is none. */
  default Optional<Active> active() {
    return this instanceof Active active ? Optional.of(active) : Optional.empty();
  }

  /** The disruption while it may be withdrawn; empty if there is none, or it is committed. */
  default Optional<Admitted> admission() {
    return this instanceof Admitted admitted ? Optional.of(admitted) : Optional.empty();
  }

  /** The disruption if it is committed; empty otherwise. */
  default Optional<Committed> commitment() {
    return this instanceof Committed committed ? Optional.of(committed) : Optional.empty();
  }

  /** Whether the Node is being disrupted: admitted or committed. */
  default boolean isActive() {
    return active().isPresent();
  }

  /** Until when the Node is not chosen again; {@link Instant#MIN} if it may be chosen at once. */
  default Instant passedOverUntil() {
    return switch (this) {
      case PassedOver passed -> passed.until();
      case Admitted admitted -> admitted.notes().passedOver();
      case Requested _, Committed _ -> Instant.MIN;
    };
  }

  /** Whether a client's removal request was recorded, and has not been dropped since. */
  default boolean isRequested() {
    return switch (this) {
      case Requested _ -> true;
      case Admitted admitted -> admitted.notes().requested();
      case PassedOver passed -> passed.requested();
      case Committed _ -> false;
    };
  }

  /**
   * An occurrence of a cause.
   *
   * @param at when the Node was first disrupted for it
   */
  record Cause(DisruptionCause what, Instant at) implements Comparable<Cause> {
    private static final Comparator<Cause> ORDER =
        Comparator.<Cause>comparingInt(cause -> cause.what.order())
            .thenComparing(cause -> cause.what.reference())
            .thenComparing(Cause::at);

    @Override
    public int compareTo(Cause other) {
      return ORDER.compare(this, other);
    }

    /** The constants of its cause. */
    public CauseRule rule() {
      return what.rule();
    }

    /** Whether a Node with this cause leaves its pool. */
    public boolean leaves() {
      return what.leaves();
    }

    /** The cause in a sentence: {@code "Node g1 leaves: " + text()}. */
    public String text() {
      return what.text();
    }

    /** Whether this is the same occurrence, whenever each was recorded. */
    public boolean isSame(Cause other) {
      return what.equals(other.what);
    }
  }

  /** Who cordoned the Node; a cordon of another client stays when the disruption ends. */
  enum Cordon {
    OURS,
    FOREIGN
  }

  /** A disruption under way, with its causes. */
  sealed interface Active extends Disruption {
    /** The causes, in their order, without repetition; never empty. */
    List<Cause> causes();

    /** Who cordoned the Node. */
    Cordon cordon();

    /** When the earliest of the causes began. */
    default Instant since() {
      return causes().stream().map(Cause::at).min(Instant::compareTo).orElseThrow();
    }

    /** Whether the Node must leave its pool for any of the causes. */
    default boolean leaves() {
      return causes().stream().anyMatch(Cause::leaves);
    }

    /** Whether any of the causes counts as this. */
    default boolean counts(CauseRule.CountsAs as) {
      return causes().stream().anyMatch(cause -> cause.rule().countsAs() == as);
    }

    /** Whether its pool removes it: a Node that is only preempted leaves by itself (D71). */
    default boolean isRemoval() {
      return counts(CauseRule.CountsAs.REMOVAL);
    }

    /** Whether a cause with this word is on record. */
    default boolean isFor(String word) {
      return causes().stream().anyMatch(cause -> cause.what().word().equals(word));
    }

    /** The turns of the Node in rollouts of its pool, as they are recorded. */
    default List<String> turns() {
      return causes().stream()
          .filter(cause -> cause.what().turn().isPresent())
          .map(cause -> cause.what().reference())
          .distinct()
          .toList();
    }

    /** Whether a cause for which the Node leaves may still be withdrawn. */
    default boolean isRevocable() {
      return !(this instanceof Committed committed && committed.isLeaving());
    }

    /** Whether this cause may still be withdrawn; a reboot that is committed may not. */
    default boolean isRevocable(Cause cause) {
      return isRevocable() && (cause.leaves() || this instanceof Admitted);
    }

    /** Whether the demand of this cause is not carried out yet. */
    default boolean awaits(Cause cause) {
      return !(this instanceof Committed committed)
          || (cause.leaves() && !committed.isLeaving())
          || (cause.what().isRepair() && committed.isVerification());
    }

    /** This disruption with other causes. */
    Active withCauses(List<Cause> next);

    /** This disruption with another owner of the cordon. */
    Active withCordon(Cordon next);

    /**
     * This disruption, after which the pool does not choose the Node until this instant or later.
     */
    default Active withPassedOver(Instant until) {
      return this;
    }

    /**
     * This disruption, committed within these limits: now, unless it was committed before. A reboot
     * that becomes a removal is drained again.
     */
    default Committed committed(Instant now, DisruptionLimits limits) {
      Instant at = commitment().map(Committed::at).orElse(now);
      DrainStage drained =
          commitment()
              .filter(last -> last.limits().ending().equals(limits.ending()))
              .map(Committed::drain)
              .orElse(DrainStage.NONE);
      return new Committed(sequence(), causes(), cordon(), at, limits, drained);
    }

    /**
     * The record that stays after the disruption has ended.
     *
     * @param until when the Node may be chosen again
     */
    PassedOver ended(Instant now, Instant until);

    /** The causes among these that it does not have yet. */
    default List<Cause> newAmong(List<Cause> others) {
      return others.stream().filter(other -> causes().stream().noneMatch(other::isSame)).toList();
    }

    /** Its causes and these. */
    default List<Cause> causesAnd(List<Cause> more) {
      return Stream.concat(causes().stream(), more.stream()).toList();
    }

    /** Its causes other than the size of the pool. */
    default List<Cause> causesNotOfSize() {
      return causes().stream().filter(cause -> !cause.rule().ofSize()).toList();
    }

    /**
     * The causes in a sentence: {@code "Node g1 leaves: " + text()}. If the Node leaves, reboots
     * are left out, and the text states this (decision D65).
     */
    default String text() {
      boolean leaves = leaves();
      boolean leftOut = leaves && causes().stream().anyMatch(cause -> !cause.leaves());
      String text =
          causes().stream()
              .filter(cause -> cause.leaves() == leaves)
              .map(Cause::text)
              .distinct()
              .collect(Collectors.joining(", and "));
      return leftOut ? text + "; it is not rebooted first" : text;
    }

    /** The causes as tokens joined by commas, for other schedulers (decision D69). */
    default String words() {
      return causes().stream()
          .map(cause -> cause.what().cordonReason())
          .distinct()
          .collect(Collectors.joining(","));
    }
  }

  /** A client requested the removal, and the request is recorded; nothing has started. */
  record Requested(int sequence, Instant at) implements Disruption {}

  /**
   * The Node is chosen and cordoned; each cause may still be withdrawn by itself.
   *
   * @param notes the notes that are kept until the disruption ends without effect
   */
  record Admitted(int sequence, List<Cause> causes, Cordon cordon, DisruptionNotes notes)
      implements Active {
    public Admitted {
      causes = ordered(causes);
    }

    @Override
    public Instant at() {
      return since();
    }

    @Override
    public Admitted withCauses(List<Cause> next) {
      return new Admitted(sequence, next, cordon, notes);
    }

    @Override
    public Admitted withCordon(Cordon next) {
      return new Admitted(sequence, causes, next, notes);
    }

    @Override
    public Admitted withPassedOver(Instant until) {
      return new Admitted(sequence, causes, cordon, notes.withPassedOver(until));
    }

    @Override
    public PassedOver ended(Instant now, Instant until) {
      return new PassedOver(
          sequence, now, notes.withPassedOver(until).passedOver(), notes.requested());
    }
  }

  /**
   * The disruption was withdrawn, or it ended with the Node's reboot. If the Node got tenant work
   * or another client uncordoned it, it is not chosen again for some time, so that the same
   * conflict is not repeated at once (decision D69). The record stays on the Node to distinguish
   * its next disruption from the last one.
   *
   * @param until when the Node may be chosen again
   * @param requested whether a client's removal request was recorded before
   * @param unmet the configuration that the machine was to boot in its turn of a rollout, if the
   *     boot could not be requested (decision D209); else empty text
   */
  @RecordBuilder
  record PassedOver(int sequence, Instant at, Instant until, boolean requested, String unmet)
      implements Disruption, DisruptionPassedOverCopy.With {
    /** A record without a configuration that the machine had to boot. */
    public PassedOver(int sequence, Instant at, Instant until, boolean requested) {
      this(sequence, at, until, requested, "");
    }

    /** Whether the Node may be chosen again. */
    public boolean isOver(Instant now) {
      return !now.isBefore(until);
    }
  }

  /**
   * The Node is drained; its disruption is not withdrawn, only tightened. A reboot becomes a
   * removal when a cause to leave is added.
   *
   * @param at when its drain began
   * @param drain the latest stage of the drain
   */
  record Committed(
      int sequence,
      List<Cause> causes,
      Cordon cordon,
      Instant at,
      DisruptionLimits limits,
      DrainStage drain)
      implements Active {
    public Committed {
      causes = ordered(causes);
    }

    /** Whether it ends with the Node leaving its pool. */
    public boolean isLeaving() {
      return limits.ending() instanceof DisruptionEnding.Leave;
    }

    /** Whether its machine is verified, without a boot. */
    public boolean isVerification() {
      return limits.ending().isVerification();
    }

    /** A name unique among its Node's disruptions, even after their record was lost. */
    public String name() {
      return sequence + "/" + at;
    }

    @Override
    public Committed withCauses(List<Cause> next) {
      return new Committed(sequence, next, cordon, at, limits, drain);
    }

    @Override
    public Committed withCordon(Cordon next) {
      return new Committed(sequence, causes, next, at, limits, drain);
    }

    /** This disruption, admitted for the causes that are left; its drain has not begun. */
    public Admitted admitted(List<Cause> left) {
      return new Admitted(sequence, left, cordon, new DisruptionNotes(Instant.MIN, false));
    }

    /** This disruption with this stage of its drain, or with its own if that is later. */
    public Committed withDrain(DrainStage next) {
      return new Committed(
          sequence, causes, cordon, at, limits, next.compareTo(drain) > 0 ? next : drain);
    }

    @Override
    public PassedOver ended(Instant now, Instant until) {
      return new PassedOver(sequence, now, until, false);
    }

    /** When the remaining Pods are deleted regardless of PodDisruptionBudgets. */
    public Instant forceAt() {
      return limits.forceAt();
    }
  }

  private static List<Cause> ordered(Collection<Cause> causes) {
    if (causes.isEmpty()) {
      throw new IllegalArgumentException("a disruption without a cause");
    }
    return causes.stream().sorted().distinct().toList();
  }
}
