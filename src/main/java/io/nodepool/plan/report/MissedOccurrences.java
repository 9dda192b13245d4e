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
 * What happened to a pool's Nodes while no operator looked, or while one that is gone could not
 * publish it any more: the difference between the published status and what is seen now. Where
 * several histories lead there it is the one with the fewest occurrences, so that nothing is told
 * that did not happen (decision D89).
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

  /** The ledger that an operator begins with which sees these members for the first time. */
  public static EventLedger ledger(PoolStatus published, Collection<MemberState> members) {
    return new MissedOccurrences(published, members).ledger();
  }

  private EventLedger ledger() {
    int lostCurrent = Math.max(0, published.currentNodes() - count(MemberState::isCurrent));
    int held = count(MemberState::isCurrent) + count(MemberState::isInProgress);
    int lostHeld = Math.max(0, published.held() - held);
    int removed = Math.min(before.terminating(), Math.min(lostCurrent, lostHeld));
    int stayed = before.terminating() - removed;

    EventLedger ledger = EventLedger.of(published);
    ledger = ended(ledger, removed).plus(Occurrence.REMOVED, removed);
    ledger = ledger.plus(Occurrence.VANISHED, lostCurrent - removed);
    ledger =
        ledger.plus(
            Occurrence.REGISTERED, count(MemberState::isCurrent) - published.currentNodes());
    List<MemberState> leaving = leaving();
    if (leaving.size() < stayed) {
      ledger = takenBack(ledger, stayed - leaving.size());
    }
    for (MemberState chosen : leaving.subList(0, Math.max(0, leaving.size() - stayed))) {
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

  /** Nodes on their way out, those first that were chosen last. */
  private List<MemberState> leaving() {
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

  /** Where all cordons of the batch were ours, those that are gone were too. */
  private static EventLedger takenBack(EventLedger ledger, int times) {
    boolean allOurs = ledger.seen().of(Occurrence.CORDONED) == ledger.seen().of(Occurrence.CHOSEN);
    return ended(ledger, times).plus(Occurrence.UNCORDONED, allOurs ? times : 0);
  }

  /**
   * Nodes that entered a stage of their removal.
   *
   * @param last how many were in it when the status was published
   * @param removed how many Nodes are gone since, at least so many of which were in no such stage
   *     as were in none then
   */
  private EventLedger stage(
      EventLedger ledger, Occurrence what, Predicate<MemberState> stage, int last, int removed) {
    int gone = Math.max(0, removed - (before.terminating() - last));
    return ledger.plus(what, count(stage) - Math.max(0, last - gone));
  }
}
