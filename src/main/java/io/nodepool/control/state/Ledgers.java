package io.nodepool.control.state;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.occurrence.MemberChange;
import io.nodepool.plan.occurrence.MemberChange.Left;
import io.nodepool.plan.occurrence.MissedOccurrences;
import java.util.Optional;

/**
 * Counts for each pool what happens to its Nodes, from the changes of its machines (decision D89).
 * Confined to the decision thread.
 */
record Ledgers(PoolTable pools, MachineTable machines) {
  /**
   * Begins to count for a pool, including what happened before this process observed it; not before
   * every object that it holds was read once: an unreadable Node would count as removed.
   */
  void begin(PoolEntry entry) {
    Pool pool = entry.pool;
    if (pool != null && entry.ledger == null && wasReadOnce(entry)) {
      entry.ledger = MissedOccurrences.ledger(pool.status(), entry.members());
    }
  }

  /** Whether a readable state was observed of everything that the pool holds. */
  private boolean wasReadOnce(PoolEntry entry) {
    return entry.unread.isEmpty()
        && entry
            .members()
            .having(Members.Trait.FROZEN)
            .map(member -> machines.find(member.host().id().name()))
            .noneMatch(machine ->
                machine != null && machine.unreadableNode != null && machine.node == null);
  }

  /** Counts what happened to a machine, which may have moved to another pool. */
  void count(Optional<Member> last, Optional<Member> next) {
    Optional<Member> before = last.filter(Ledgers::serves);
    Optional<Member> now = next.filter(Ledgers::serves);
    if (before.map(Member::poolUid).equals(now.map(Member::poolUid))) {
      count(now, change(before, now));
    } else {
      count(before, change(before, Optional.empty()));
      count(now, change(Optional.empty(), now));
    }
  }

  /** Whether it is not kept for inspection: such a Node no longer counts as a Node of its pool. */
  private static boolean serves(Member member) {
    return member.host().preserved().isEmpty();
  }

  private MemberChange change(Optional<Member> before, Optional<Member> now) {
    Left left =
        before
            .flatMap(Member::node)
            .filter(node -> machines.knowsNode(node.name(), node.uid()))
            .map(node -> machines.isPreserved(node.name()) ? Left.PRESERVED : Left.EXISTS)
            .orElse(Left.GONE);
    return new MemberChange(before, now, left);
  }

  private void count(Optional<Member> member, MemberChange change) {
    PoolEntry holder = member.map(Member::poolUid).map(pools::find).orElse(null);
    if (holder != null && holder.ledger != null) {
      holder.ledger = change.counted(holder.ledger);
    }
  }
}
