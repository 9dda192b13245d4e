package io.nodepool.plan.occurrence;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.pool.DisruptionBatch;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.plan.metadata.Reserving;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The change of a machine in a pool. The occurrences that the pool's Events report follow from it.
 * Pure.
 *
 * @param before the machine as a member of the pool; empty while the pool did not hold it
 * @param now the member after the change; empty if there is none
 * @param left the state of the earlier Node after the change
 */
public record MemberChange(Optional<Member> before, Optional<Member> now, Left left) {
  /** The state of a Node that is no longer a member of the pool. */
  public enum Left {
    /** It does not exist. */
    GONE,
    /** It exists, with its machine or without. */
    EXISTS,
    /** Its machine is kept for inspection. */
    PRESERVED
  }

  /** The ledger of the pool after this change. */
  public EventLedger counted(EventLedger ledger) {
    boolean same = isSameNode();
    EventLedger next = same ? ledger : lost(ledger);
    if (now.isPresent()
        && !now.map(MemberChange::tenancy).equals(before.map(MemberChange::tenancy))) {
      next = next.plus(Occurrence.ASSIGNED, name());
    }
    if (is(now, Member::wasRegistered) && !(same && is(before, Member::wasRegistered))) {
      next = next.plus(Occurrence.REGISTERED, name());
    }
    Optional<Member> last = same ? before : Optional.empty();
    next = begun(last, ended(last, next));
    return same ? taints(next) : next;
  }

  private static boolean is(Optional<Member> member, Predicate<Member> what) {
    return member.filter(what).isPresent();
  }

  private static long tenancy(Member member) {
    return member.host().tenancy();
  }

  private String name() {
    return now.or(() -> before).map(member -> member.host().id().name()).orElse("");
  }

  private boolean isSameNode() {
    Optional<Node> node = now.flatMap(Member::node);
    return node.isPresent()
        && node.map(Node::uid).equals(before.flatMap(Member::node).map(Node::uid));
  }

  private static boolean isCordoned(Member member) {
    return member.node().filter(Node::cordoned).isPresent();
  }

  /** Whether its machine is asked to stop. */
  static boolean isStopped(Member member) {
    return member.host().power() == Host.Power.OFF;
  }

  /** Whether its Node is disrupted and cordoned by the operator. */
  static boolean isCordonedByUs(Member member) {
    return isCordoned(member)
        && member
            .disruption()
            .filter(active -> active.cordon() == Disruption.Cordon.OURS)
            .isPresent();
  }

  /** The stage of the drain of its Node. */
  static DrainStage stage(Member member) {
    return member.disruption().orElse(null) instanceof Disruption.Committed committed
        ? committed.drain()
        : DrainStage.NONE;
  }

  private static DrainStage stage(Optional<Member> member) {
    return member.map(MemberChange::stage).orElse(DrainStage.NONE);
  }

  private static Optional<CountsAs> kind(Optional<Member> member) {
    return member.flatMap(Member::disruptedAs);
  }

  /** The ledger after the pool lost the earlier Node, which is deleted or has no machine. */
  private EventLedger lost(EventLedger ledger) {
    Optional<CountsAs> as = kind(before);
    EventLedger next =
        as.map(kind -> ledger.with(kind, batch -> batch.ends(stage(before)))).orElse(ledger);
    // A Node that a client deletes before its machine is stopped joins again.
    if (left == Left.PRESERVED) {
      return next;
    }
    boolean isGone =
        left == Left.GONE && (now.isEmpty() || now.get().host().power() == Host.Power.OFF);
    if (isGone && as.filter(kind -> kind != CountsAs.REBOOT).isPresent()) {
      return next.with(
          as.get(),
          batch ->
              (is(before, MemberChange::isStopped)
                      ? batch
                      : batch.plus(Occurrence.PREPARED, name()))
                  .plus(Occurrence.REMOVED, name()));
    }
    boolean unrecorded =
        as.isEmpty()
            && is(before, Member::isCurrent)
            && is(before, member -> member.host().preemption().isPresent());
    if (isGone && unrecorded) {
      return next.with(
          CountsAs.PREEMPTION,
          batch ->
              batch
                  .begins(name(), DrainStage.NONE)
                  .ends(DrainStage.NONE)
                  .plus(Occurrence.PREPARED, name())
                  .plus(Occurrence.REMOVED, name()));
    }
    return is(before, Member::isCurrent) ? next.plus(Occurrence.VANISHED, name()) : next;
  }

  /** The ledger after the Node's disruption ended, or changed to another kind. */
  private EventLedger ended(Optional<Member> last, EventLedger ledger) {
    Optional<CountsAs> as = kind(last);
    if (as.isEmpty() || as.equals(kind(now))) {
      return ledger;
    }
    boolean uncordoned =
        is(last, MemberChange::isCordonedByUs) && !is(now, MemberChange::isCordoned);
    return ledger.with(
        as.get(),
        batch -> {
          DisruptionBatch next = batch.ends(stage(last)).plus(Occurrence.RETURNED, name());
          return uncordoned ? next.plus(Occurrence.UNCORDONED, name()) : next;
        });
  }

  /** The ledger after the Node's disruption began or continued. */
  private EventLedger begun(Optional<Member> last, EventLedger ledger) {
    return kind(now)
        .map(as -> ledger.with(as, batch -> begun(last, as, now.orElseThrow(), batch)))
        .orElse(ledger);
  }

  private DisruptionBatch begun(
      Optional<Member> last, CountsAs as, Member member, DisruptionBatch batch) {
    boolean goesOn = kind(last).equals(Optional.of(as));
    DisruptionBatch next =
        goesOn
            ? batch.moved(stage(last), stage(now))
            : explained(batch.begins(name(), stage(now)), as, Occurrence.CHOSEN, member);
    if (isCordonedByUs(member) && !is(last, MemberChange::isCordoned)) {
      boolean again = is(last, each -> each.disruption().isPresent());
      Occurrence what = again ? Occurrence.CORDONED_AGAIN : Occurrence.CORDONED;
      next = explained(next.plus(what, name()), as, what, member);
    }
    // A machine may have been stopped before its Node joined again and was chosen.
    if (isStopped(member) && !(goesOn && is(last, MemberChange::isStopped))) {
      next = next.plus(Occurrence.PREPARED, name());
    }
    next = entered(DrainStage.BEGUN, Occurrence.DRAINED, last, next);
    next = entered(DrainStage.BLOCKED, Occurrence.BLOCKED, last, next);
    return entered(DrainStage.FORCED, Occurrence.FORCED, last, next);
  }

  /**
   * The batch with the cause of this occurrence, if Events of such disruptions explain it. Events
   * name the cause when Nodes are chosen to be removed, and when they are cordoned for a reboot.
   */
  static DisruptionBatch explained(
      DisruptionBatch batch, CountsAs as, Occurrence what, Member member) {
    boolean said =
        switch (as) {
          case REMOVAL -> what == Occurrence.CHOSEN;
          case REBOOT -> what == Occurrence.CORDONED;
          case PREEMPTION -> false;
        };
    return member
        .disruption()
        .filter(_ -> said)
        .flatMap(active ->
            active.causes().stream()
                .filter(cause -> cause.rule().countsAs() == as)
                .map(Disruption.Cause::what)
                .min(Comparator.comparingInt(DisruptionCause::order)))
        .map(cause -> batch.because(cause.word()))
        .orElse(batch);
  }

  /** A forced drain counts as blocked only if that stage was recorded. */
  private DisruptionBatch entered(
      DrainStage stage, Occurrence what, Optional<Member> last, DisruptionBatch batch) {
    boolean passed =
        stage == DrainStage.BLOCKED ? stage(now) == stage : stage(now).compareTo(stage) >= 0;
    return passed && stage(last).compareTo(stage) < 0 ? batch.plus(what, name()) : batch;
  }

  /**
   * Counts changes of taints that follow from a Node's kind or reservation, and taints that were
   * restored. Changes of the spec's taints are reported when the pool starts to apply them, and the
   * state in which a Node leaves with the stop of its machine (decision D251).
   */
  private EventLedger taints(EventLedger ledger) {
    NodeMetadata last = before.flatMap(Member::node).orElseThrow().metadata();
    NodeMetadata next = now.flatMap(Member::node).orElseThrow().metadata();
    if (last.equals(next) || now.orElseThrow().host().power() == Host.Power.OFF) {
      return ledger;
    }
    boolean gained =
        next.taints().stream()
            .filter(taint -> !last.taints().contains(taint))
            .anyMatch(taint -> Reserving.isDue(next, taint) || isRestored(last, next, taint));
    boolean lost =
        last.taints().stream()
            .filter(taint -> next.taints().stream().noneMatch(taint::isSame))
            .anyMatch(taint -> Reserving.isOver(next, taint));
    EventLedger counted = gained ? ledger.plus(Occurrence.TAINTED, name()) : ledger;
    return lost ? counted.plus(Occurrence.UNTAINTED, name()) : counted;
  }

  /** Whether the taint was already applied from the spec, so that it was only restored. */
  private static boolean isRestored(NodeMetadata last, NodeMetadata next, Taint taint) {
    return last.applied().equals(next.applied())
        && next.applied().filter(record -> record.taints().contains(taint)).isPresent();
  }
}
