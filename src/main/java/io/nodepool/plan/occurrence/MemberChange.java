package io.nodepool.plan.occurrence;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Occurrence;
import io.nodepool.plan.metadata.Reserving;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The change of a machine in a pool, from which the occurrences follow that the pool's Events
 * report. Pure.
 *
 * @param before the machine as a member of the pool; empty while the pool did not hold it
 * @param now the same after the change
 */
public record MemberChange(Optional<Member> before, Optional<Member> now) {
  /** The ledger of the pool after this change. */
  public EventLedger counted(EventLedger ledger) {
    boolean same = isSameNode();
    EventLedger next = same ? ledger : lost(ledger);
    if (is(now, Member::isIntroduced) && !(same && is(before, Member::isIntroduced))) {
      next = next.plus(Occurrence.REGISTERED, name());
    }
    boolean wasBeingRemoved = same && is(before, Member::isBeingRemoved);
    if (is(now, Member::isBeingRemoved) && !wasBeingRemoved) {
      next = next.begins(name());
      next = is(now, MemberChange::isCordonedByUs) ? next.plus(Occurrence.CORDONED, name()) : next;
    }
    if (!is(now, Member::isBeingRemoved) && wasBeingRemoved) {
      next = next.ends();
      next =
          is(before, MemberChange::isCordonedByUs) && !is(now, MemberChange::isCordoned)
              ? next.plus(Occurrence.UNCORDONED, name())
              : next;
    }
    return same ? taints(stages(before, next)) : stages(Optional.empty(), next);
  }

  private static boolean is(Optional<Member> member, Predicate<Member> what) {
    return member.filter(what).isPresent();
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

  /** Whether the cordon on its Node was set at its admission. */
  static boolean isCordonedByUs(Member member) {
    return isCordoned(member)
        && member.removal().orElse(null) instanceof Disruption.Admitted admitted
        && admitted.cordon() == Disruption.Cordon.OURS;
  }

  /** The ledger after the Node of before was deleted. */
  private EventLedger lost(EventLedger ledger) {
    boolean wasBeingRemoved = is(before, Member::isBeingRemoved);
    EventLedger next = wasBeingRemoved ? ledger.ends() : ledger;
    // A Node that a client deletes before its machine is stopped joins again.
    boolean isGone = now.isEmpty() || now.get().host().power() == Host.Power.OFF;
    if (wasBeingRemoved && isGone) {
      return next.plus(Occurrence.REMOVED, name());
    }
    return is(before, Member::isCurrent) ? next.plus(Occurrence.VANISHED, name()) : next;
  }

  private EventLedger stages(Optional<Member> last, EventLedger ledger) {
    EventLedger next = ledger;
    if (is(now, MemberChange::isDraining)
        && !is(last, MemberChange::isDraining)
        && !isAt(last, NodeRemovalReason.DETACHING)) {
      next = next.plus(Occurrence.DRAINED, name());
    }
    next = entered(last, NodeRemovalReason.BLOCKED_BY_BUDGET, Occurrence.BLOCKED, next);
    return entered(last, NodeRemovalReason.FORCED, Occurrence.FORCED, next);
  }

  private EventLedger entered(
      Optional<Member> last, NodeRemovalReason stage, Occurrence what, EventLedger ledger) {
    return isAt(now, stage) && !isAt(last, stage) ? ledger.plus(what, name()) : ledger;
  }

  /** Whether its Node's Pods are being evicted. */
  private static boolean isDraining(Member member) {
    return member.isRemovedAt(NodeRemovalReason.DRAINING)
        || member.isRemovedAt(NodeRemovalReason.BLOCKED_BY_BUDGET)
        || member.isRemovedAt(NodeRemovalReason.FORCED);
  }

  private static boolean isAt(Optional<Member> member, NodeRemovalReason stage) {
    return is(member, each -> each.isRemovedAt(stage));
  }

  /**
   * Counts changes of taints that follow from a Node's kind or reservation, and taints that were
   * restored. Changes of the spec's taints are reported when the pool starts to apply them.
   */
  private EventLedger taints(EventLedger ledger) {
    NodeMetadata last = before.flatMap(Member::node).orElseThrow().metadata();
    NodeMetadata next = now.flatMap(Member::node).orElseThrow().metadata();
    if (last.equals(next)) {
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
