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
 * The demands on one Node: the machine's plan derives some from its objects, and the pool's plan
 * recorded others on the Node. A cause of the machine is withdrawn once it demands nothing; a cause
 * of the pool stays until the pool's plan takes it off the record.
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

  /** Whether the demand of a cause may be admitted, or committed, now. */
  public boolean isAdmitted(Disruption.Cause cause) {
    return !isHeld(cause) && admission.ask(cause, of(cause)).isAdmitted();
  }

  private boolean isHeld(Disruption.Cause cause) {
    return KnownCause.of(cause).isHeld(facts) || isBehindAnother(cause);
  }

  /**
   * A machine is verified for an alert before it is booted for something else, unless a client
   * requested that boot at once: then the verification waits.
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
   * The demand on a Node that may be committed now, of its own causes and of the causes that the
   * pool recorded; empty if there is none.
   */
  public Optional<Demand> inEffect() {
    return demanded(this::isAdmitted);
  }

  /** The demand of the repairs that may be carried out now. */
  public Optional<Demand> ofRepairs() {
    return own().stream()
        .filter(cause -> cause.what().isRepair() && isAdmitted(cause))
        .map(this::of)
        .reduce(Demand::and);
  }

  /** The demand on a Node that is drained, also of causes that may not be admitted now. */
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
   * Which of these causes are committed together to this ending. A pause of a user keeps a cause
   * out; a cause that waits only for the fleet is carried out with the others. Repairs stay beside
   * the verification that comes before them. If the Node leaves, neither the verification nor the
   * repairs that wait for its answer are carried out.
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
   * Whether a recorded cause stays on record. A cause of a pool ends when the Node has no machine
   * any more, since no plan of a pool would take it off the record (decision D176).
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
   * Whether everything for which these causes drain the Node is taken back. A request that never
   * interrupts work stays on the Node, and is admitted anew (decision D173).
   *
   * @param busy whether the Node has work: a repair does not end work that its pool protects by now
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
   * instant from outside does not wait for late bindings, and bound Pods are drained (D67).
   */
  public boolean isDueUnsettled() {
    return derived()
        .filter(cause -> !cause.rule().settles())
        .anyMatch(cause -> of(cause).carriedOut(false).window().mayInterrupt(facts.now()));
  }

  /** When the drain whose progress is announced begins; empty if there is no such drain. */
  public Optional<Instant> progressAt() {
    return derived()
        .filter(cause -> KnownCause.of(cause).kind().progressLabel().isPresent())
        .map(cause -> of(cause).carriedOut(false).window().interruptAt())
        .min(Instant::compareTo);
  }
}
