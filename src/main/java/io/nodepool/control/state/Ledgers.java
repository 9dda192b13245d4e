package io.nodepool.control.state;

import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.report.MemberState;
import io.nodepool.plan.report.MissedOccurrences;
import java.util.function.UnaryOperator;

/**
 * Counts for each pool what happens to its Nodes, from the changes of its machines (decision D89).
 * Confined to the decision thread.
 */
final class Ledgers {
  private final PoolTable pools;
  private final MachineTable machines;

  Ledgers(PoolTable pools, MachineTable machines) {
    this.pools = pools;
    this.machines = machines;
  }

  /**
   * Begins to count for a pool, including what happened before this process observed it; not before
   * everything that it holds was read once: an unreadable Node would count as removed.
   */
  void begin(PoolEntry entry, Pool pool) {
    if (entry.ledger == null && wasReadOnce(entry)) {
      entry.ledger =
          MissedOccurrences.ledger(
              pool.status(), entry.members.stream().map(this::standing).toList());
    }
  }

  private MemberState standing(Member member) {
    MachineEntry machine = machines.find(member.host().id().name());
    return machine == null ? MemberState.NONE : machine.standing;
  }

  /** Whether a readable state was observed of everything that the pool holds. */
  private boolean wasReadOnce(PoolEntry entry) {
    return entry.unread.isEmpty()
        && entry
            .members
            .having(Members.Trait.FROZEN)
            .map(member -> machines.find(member.host().id().name()))
            .noneMatch(machine ->
                machine != null && machine.unreadableNode != null && machine.node == null);
  }

  /** Counts what happened to a machine since it was last counted. */
  void count(MachineEntry machine) {
    MemberState before = machine.standing;
    MemberState now = MemberState.of(machine.host, machine.node).following(before);
    machine.standing = now;
    if (before.equals(now)) {
      return;
    }
    boolean moved = !before.pool().equals(now.pool());
    if (moved) {
      change(before.pool(), ledger -> MemberState.NONE.entered(before, ledger));
    }
    change(now.pool(), ledger -> now.entered(moved ? MemberState.NONE : before, ledger));
  }

  private void change(String poolUid, UnaryOperator<EventLedger> change) {
    PoolEntry holder = pools.find(poolUid);
    if (holder != null && holder.ledger != null) {
      holder.ledger = change.apply(holder.ledger);
    }
  }
}
