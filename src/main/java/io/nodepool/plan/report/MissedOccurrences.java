package io.nodepool.plan.report;

import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Occurrence;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Determines what happened to a pool's Nodes while no operator ran, or while the last one could no
 * longer publish it: the difference between the published status and the observed state. If several
 * histories lead there, it is the one with the fewest occurrences, so that no Event reports what
 * did not happen (decision D89).
 */
public final class MissedOccurrences {
  private final PoolStatus published;
  private final RemovalBatch before;
  private final Collection<MemberState> members;

  private MissedOccurrences(PoolStatus published, Collection<MemberState> members) {
    this.published = published;
    this.before = published.removal();
    this.members = members;
  }

  /** The ledger with which an operator starts that observes these members for the first time. */
  public static EventLedger ledger(PoolStatus published, Collection<MemberState> members) {
    return new MissedOccurrences(published, members).ledger();
  }

  private EventLedger ledger() {
    int lostCurrent = Math.max(0, published.currentNodes() - count(MemberState::isCurrent));
    int held = count(MemberState::isCurrent) + count(MemberState::isInProgress);
    int lostHeld = Math.max(0, published.held() - held);
    int removed = Math.min(before.terminating(), Math.min(lostCurrent, lostHeld));
    int remaining = before.terminating() - removed;

    EventLedger ledger = EventLedger.of(published);
    ledger = ended(ledger, removed).plus(Occurrence.REMOVED, removed);
    ledger = ledger.plus(Occurrence.VANISHED, lostCurrent - removed);
    ledger =
        ledger.plus(
            Occurrence.REGISTERED, count(MemberState::isCurrent) - published.currentNodes());
    List<MemberState> terminating = terminating();
    if (terminating.size() < remaining) {
      ledger = withdrawn(ledger, remaining - terminating.size());
    }
    for (MemberState chosen : terminating.subList(0, Math.max(0, terminating.size() - remaining))) {
      ledger = ledger.begins(chosen.name());
      ledger = chosen.isCordonedByUs() ? ledger.plus(Occurrence.CORDONED, chosen.name()) : ledger;
    }
    ledger = stage(ledger, Occurrence.DRAINED, MemberState::isDraining, before.draining(), removed);
    ledger =
        stage(
            ledger,
            Occurrence.BLOCKED,
            each -> each.is(NodeRemovalReason.BLOCKED_BY_BUDGET),
            before.blocked(),
            removed);
    return stage(
        ledger,
        Occurrence.FORCED,
        each -> each.is(NodeRemovalReason.FORCED),
        before.forced(),
        removed);
  }

  private int count(Predicate<MemberState> what) {
    return (int) members.stream().filter(what).count();
  }

  /** Nodes being removed, the last chosen first. */
  private List<MemberState> terminating() {
    return members.stream()
        .filter(MemberState::isTerminating)
        .sorted(
            Comparator.comparing(MemberState::since).reversed().thenComparing(MemberState::name))
        .toList();
  }

  private static EventLedger ended(EventLedger ledger, int times) {
    EventLedger next = ledger;
    for (int i = 0; i < times; i++) {
      next = next.ends();
    }
    return next;
  }

  /**
   * Records withdrawn marks. If the operator set all cordons of the batch, it also set the removed
   * ones.
   */
  private static EventLedger withdrawn(EventLedger ledger, int times) {
    boolean allOurs = ledger.seen().of(Occurrence.CORDONED) == ledger.seen().of(Occurrence.CHOSEN);
    return ended(ledger, times).plus(Occurrence.UNCORDONED, allOurs ? times : 0);
  }

  /**
   * Records the Nodes that entered a stage of their removal.
   *
   * @param last how many were in the stage when the status was published
   * @param removed how many Nodes were removed since; Nodes that were in no such stage at that time
   *     are assumed to be among them first
   */
  private EventLedger stage(
      EventLedger ledger, Occurrence what, Predicate<MemberState> stage, int last, int removed) {
    int gone = Math.max(0, removed - (before.terminating() - last));
    return ledger.plus(what, count(stage) - Math.max(0, last - gone));
  }
}
