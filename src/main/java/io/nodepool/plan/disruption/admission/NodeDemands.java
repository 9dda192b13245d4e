package io.nodepool.plan.disruption.admission;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.KnownCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The demands on one Node: those that the machine's plan derives from its objects, and those that
 * the pool's plan recorded on it. A cause of the machine withdraws by no longer demanding; one of
 * the pool stays until the pool's plan takes it off the record.
 *
 * @param admission which disruptions may begin
 */
public record NodeDemands(CauseFacts facts, DisruptionAdmission admission) {
  /** The causes that the machine's plan demands now by itself, given what is recorded. */
  public List<Disruption.Cause> own() {
    List<Disruption.Cause> own = new ArrayList<>(derived().toList());
    facts
        .recordedCauses()
        .filter(cause -> cause.rule().standing() == CauseRule.Standing.LATCHED)
        .filter(cause -> own.stream().noneMatch(cause::isSame))
        .forEach(own::add);
    return own;
  }

  private Stream<Disruption.Cause> derived() {
    return KnownCause.Catalogue.ALL.stream().flatMap(kind -> kind.found().apply(facts).stream());
  }

  /** What a cause demands. */
  public Demand of(Disruption.Cause cause) {
    return KnownCause.of(cause).demand(cause.at(), facts);
  }

  /** Whether what a cause demands may be admitted, or be committed, now. */
  public boolean isAdmitted(Disruption.Cause cause) {
    return !isHeld(cause) && admission.ask(cause, of(cause)).isAdmitted();
  }

  private boolean isHeld(Disruption.Cause cause) {
    return KnownCause.of(cause).isHeld(facts) || isBehindAnother(cause);
  }

  /**
   * A machine is verified for an alert before it is booted for something else, unless a client
   * asked for that at once: then the verification waits.
   */
  private boolean isBehindAnother(Disruption.Cause cause) {
    boolean verifies = cause.what().isAlertVerification();
    boolean immediate =
        facts
            .recordedCauses()
            .anyMatch(each -> !each.leaves() && KnownCause.of(each).isImmediate());
    boolean boots = !cause.leaves() && !cause.what().isRepair();
    return boots
        && verifies == immediate
        && facts.recordedCauses().anyMatch(each -> each.what().isAlertVerification());
  }

  /**
   * What is demanded of a Node and may be committed now: of its own causes, and those that the pool
   * recorded; empty if there are none.
   */
  public Optional<Demand> inEffect() {
    return demanded(this::isAdmitted);
  }

  /** What repairs demand that may be carried out now. */
  public Optional<Demand> ofRepairs() {
    return own().stream()
        .filter(cause -> cause.what().isRepair() && isAdmitted(cause))
        .map(this::of)
        .reduce(Demand::and);
  }

  /** What is demanded of a Node that is drained, whatever holds back that others are admitted. */
  public Optional<Demand> ofDrained() {
    return demanded(cause -> !isHeld(cause));
  }

  private Optional<Demand> demanded(Predicate<Disruption.Cause> which) {
    return Stream.concat(
            own().stream(), facts.recordedCauses().filter(cause -> cause.rule().isOfPool()))
        .filter(which)
        .map(this::of)
        .reduce(Demand::and);
  }

  /**
   * Those of these causes that are committed together to this ending: a brake of a user keeps a
   * cause out, and what waits only for the fleet is carried out with the others. Repairs stay
   * beside the verification that comes before them; of a Node that leaves the verification is not
   * carried out, nor are repairs that wait for its answer.
   */
  public List<Disruption.Cause> committed(List<Disruption.Cause> causes, DisruptionEnding ending) {
    List<Disruption.Cause> carriedOut =
        causes.stream()
            .filter(cause -> ending.isVerification() || !cause.what().isAlertVerification())
            .toList();
    boolean verifies =
        carriedOut.stream().anyMatch(cause -> cause.what().isAlertVerification() && !isHeld(cause));
    return carriedOut.stream()
        .filter(cause -> !isHeld(cause) || (verifies && cause.what().isRepair()))
        .filter(cause -> !admission.isPaused(cause.rule()))
        .toList();
  }

  /**
   * Whether a recorded cause stays on record. What a pool demands of a member ends when the Node
   * has no machine any more: no plan of a pool would take it off the record (decision D176).
   *
   * @param own the causes that the machine's plan demands now by itself
   */
  public boolean isStillDemanded(Disruption.Cause cause, List<Disruption.Cause> own) {
    return switch (cause.rule().standing()) {
      case TAKEN_OFF_BY_POOL -> facts.host().isPresent() && !yields(cause, own);
      case DERIVED, LATCHED -> own.stream().anyMatch(cause::isSame);
    };
  }

  private static boolean yields(Disruption.Cause cause, List<Disruption.Cause> own) {
    return cause
        .rule()
        .yieldsTo()
        .filter(as -> own.stream().anyMatch(each -> each.rule().countsAs() == as))
        .isPresent();
  }

  /** Whether tenant work ends the cause. */
  public boolean endsWhenBusy(Disruption.Cause cause) {
    return KnownCause.of(cause).endsWhenBusy(cause.at(), facts);
  }

  /**
   * Whether all is taken back that the Node is drained for by these causes. A request beside it
   * that never interrupts work stays on the Node, and is admitted anew (decision D173).
   *
   * @param busy whether work is on the Node: a repair ends none that its pool protects by now
   */
  public KnownCause.TakenBack takenBack(List<Disruption.Cause> causes, boolean busy) {
    List<KnownCause.TakenBack> answers =
        causes.stream()
            .map(cause -> takenBack(cause, busy))
            .filter(answer -> answer != KnownCause.TakenBack.UNHARMED)
            .distinct()
            .sorted()
            .toList();
    return answers.isEmpty() ? KnownCause.TakenBack.NO : answers.getFirst();
  }

  private KnownCause.TakenBack takenBack(Disruption.Cause cause, boolean busy) {
    boolean isKept =
        busy
            && (cause.what().isRepair() || cause.what().isAlertVerification())
            && !of(cause).carriedOut(true).window().mayInterrupt(facts.now());
    return isKept ? KnownCause.TakenBack.YES : KnownCause.of(cause).takenBack(facts);
  }

  /**
   * Whether the drain is due for a cause that does not wait until the cordon has settled: an
   * instant from outside does not wait for late bindings, and what is bound is drained (D67).
   */
  public boolean isDueUnsettled() {
    return derived()
        .filter(cause -> !cause.rule().settles())
        .anyMatch(cause -> of(cause).carriedOut(false).window().mayInterrupt(facts.now()));
  }

  /** When the drain begins whose progress is announced; empty if none is demanded. */
  public Optional<Instant> progressAt() {
    return derived()
        .filter(cause -> KnownCause.of(cause).kind().progressLabel().isPresent())
        .map(cause -> of(cause).carriedOut(false).window().interruptAt())
        .min(Instant::compareTo);
  }
}
