package io.nodepool.plan.occurrence;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Occurrence;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RemovalBatch;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Determines what happened to a pool's Nodes while no operator ran, or while the last one could no
 * longer publish it: the difference between the published status and the observed state. If several
 * histories lead there, it is the one with the fewest occurrences, so that no Event reports what
 * did not happen (decision D89).
 */
public record MissedOccurrences(PoolStatus published, Members members) {
  /** The ledger with which an operator starts that observes these members for the first time. */
  public static EventLedger ledger(PoolStatus published, Members members) {
    return new MissedOccurrences(published, members).ledger();
  }

  private EventLedger ledger() {
    RemovalBatch before = published.removal();
    int lostCurrent = Math.max(0, published.currentNodes() - members.count(Members.Trait.CURRENT));
    int held = members.count(Members.Trait.CURRENT) + members.count(Members.Trait.IN_PROGRESS);
    int lostHeld = Math.max(0, published.held() - held);
    int removed = Math.min(before.terminating(), Math.min(lostCurrent, lostHeld));
    int remaining = before.terminating() - removed;

    EventLedger ledger = EventLedger.of(published);
    ledger = ended(ledger, removed).plus(Occurrence.REMOVED, removed);
    ledger = ledger.plus(Occurrence.VANISHED, lostCurrent - removed);
    ledger =
        ledger.plus(
            Occurrence.REGISTERED, members.count(Members.Trait.CURRENT) - published.currentNodes());
    int terminating = members.count(Members.Trait.BEING_REMOVED);
    if (terminating < remaining) {
      ledger = withdrawn(ledger, remaining - terminating);
    }
    for (Member chosen : lastChosen().limit(Math.max(0, terminating - remaining)).toList()) {
      String name = chosen.host().id().name();
      ledger = ledger.begins(name);
      ledger =
          MemberChange.isCordonedByUs(chosen) ? ledger.plus(Occurrence.CORDONED, name) : ledger;
    }
    int blocked = members.count(Members.Trait.BLOCKED);
    int forced = members.count(Members.Trait.FORCED);
    int drained = members.count(Members.Trait.DRAINING) + blocked + forced;
    ledger = stage(ledger, Occurrence.DRAINED, drained, before.draining(), removed);
    ledger = stage(ledger, Occurrence.BLOCKED, blocked, before.blocked(), removed);
    return stage(ledger, Occurrence.FORCED, forced, before.forced(), removed);
  }

  /** Nodes being removed, the last chosen first. */
  private Stream<Member> lastChosen() {
    return members
        .having(Members.Trait.BEING_REMOVED)
        .sorted(
            Comparator.comparing(MissedOccurrences::chosenAt)
                .reversed()
                .thenComparing(member -> member.host().id().name()));
  }

  private static Instant chosenAt(Member member) {
    return member.removal().map(Disruption::at).orElse(Instant.MIN);
  }

  private static EventLedger ended(EventLedger ledger, int times) {
    EventLedger next = ledger;
    for (int i = 0; i < times; i++) {
      next = next.ends();
    }
    return next;
  }

  /**
   * Records withdrawn admissions. If the operator set all cordons of the batch, it also set the
   * removed ones.
   */
  private static EventLedger withdrawn(EventLedger ledger, int times) {
    boolean allOurs = ledger.seen().of(Occurrence.CORDONED) == ledger.seen().of(Occurrence.CHOSEN);
    return ended(ledger, times).plus(Occurrence.UNCORDONED, allOurs ? times : 0);
  }

  /**
   * Records the Nodes that entered a stage of their removal.
   *
   * @param now how many are in the stage
   * @param last how many were in the stage when the status was published
   * @param removed how many Nodes were removed since; Nodes that were in no such stage at that time
   *     are assumed to be among them first
   */
  private EventLedger stage(EventLedger ledger, Occurrence what, int now, int last, int removed) {
    int gone = Math.max(0, removed - (published.removal().terminating() - last));
    return ledger.plus(what, now - Math.max(0, last - gone));
  }
}
