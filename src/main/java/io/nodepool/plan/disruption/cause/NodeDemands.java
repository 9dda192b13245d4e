package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.plan.disruption.Demand;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The demands on one Node: those that the machine's plan derives from its objects, and those that
 * the pool's plan recorded on it. A cause of the machine withdraws by no longer demanding; one of
 * the pool stays until the pool's plan takes it off the record.
 */
public record NodeDemands(CauseFacts facts) {
  /** The causes that the machine's plan demands now by itself, given what is recorded. */
  public List<Disruption.Cause> own(Optional<Disruption.Active> recorded) {
    List<Disruption.Cause> own = new ArrayList<>(derived(recorded).toList());
    recorded.stream()
        .flatMap(active -> active.causes().stream())
        .filter(cause -> cause.rule().standing() == CauseRule.Standing.LATCHED)
        .filter(cause -> own.stream().noneMatch(cause::isSame))
        .forEach(own::add);
    return own;
  }

  private Stream<Disruption.Cause> derived(Optional<Disruption.Active> recorded) {
    return CauseCatalogue.ALL.stream()
        .flatMap(kind -> kind.found().apply(facts, recorded).stream());
  }

  /** What a cause demands. */
  public Demand of(Disruption.Cause cause) {
    return KnownCause.of(cause).demand(cause.at(), facts);
  }

  /** All that these causes demand; empty if there are none. */
  public Optional<Demand> of(List<Disruption.Cause> causes) {
    return Demand.merged(causes.stream().map(this::of).toList());
  }

  /**
   * What is demanded of a Node: its own causes, and those that the pool recorded and that are not
   * held; empty if there are none.
   */
  public Optional<Demand> inEffect(Disruption.Active recorded) {
    List<Disruption.Cause> causes = new ArrayList<>(own(Optional.of(recorded)));
    inEffect(recorded.causes()).stream()
        .filter(cause -> cause.rule().isOfPool())
        .forEach(causes::add);
    return of(causes);
  }

  /** Those of these causes that may be committed now. */
  public List<Disruption.Cause> inEffect(List<Disruption.Cause> causes) {
    return causes.stream().filter(cause -> !KnownCause.of(cause).isHeld(facts)).toList();
  }

  /** Whether the annotation that makes a request immediate must be read before it is committed. */
  public RebootConsent consent() {
    return facts.consent();
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
    return KnownCause.of(cause).whenBusy(cause.at(), facts) == KnownCause.WhenBusy.GIVE_UP;
  }

  /**
   * Whether the Node is drained only for what a user has taken back. A request beside it that never
   * interrupts work stays on the Node, and is admitted anew (decision D173).
   */
  public boolean isReleased(Disruption.Committed reboot) {
    return isTakenBack(reboot, KnownCause.TakenBack.YES);
  }

  /** Whether the Node is drained only for what a user takes back, and that is not published yet. */
  public boolean isAboutToBeReleased(Disruption.Committed reboot) {
    return isTakenBack(reboot, KnownCause.TakenBack.ASKED);
  }

  private boolean isTakenBack(Disruption.Committed reboot, KnownCause.TakenBack how) {
    List<KnownCause.TakenBack> answers =
        reboot.causes().stream().map(cause -> KnownCause.of(cause).takenBack(facts)).toList();
    return answers.contains(how)
        && answers.stream()
            .allMatch(answer -> answer == how || answer == KnownCause.TakenBack.UNHARMED);
  }

  /**
   * Whether the drain is due for a cause that does not wait until the cordon has settled: an
   * instant from outside does not wait for late bindings, and what is bound is drained (D67).
   */
  public boolean isDueUnsettled() {
    return derived(Optional.empty())
        .filter(cause -> !cause.rule().settles())
        .anyMatch(cause -> of(cause).carriedOut(false).window().mayInterrupt(facts.now()));
  }

  /** When the drain begins whose progress is announced; empty if none is demanded. */
  public Optional<Instant> progressAt() {
    return derived(Optional.empty())
        .filter(cause -> KnownCause.of(cause).progressLabel().isPresent())
        .map(cause -> of(cause).carriedOut(false).window().interruptAt())
        .min(Instant::compareTo);
  }
}
