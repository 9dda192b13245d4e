package io.nodepool.control;

import io.nodepool.model.EventLedger;
import io.nodepool.model.Pool;
import io.nodepool.plan.Resumption;
import io.nodepool.plan.Standing;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Counts for each pool what happens to its Nodes, from the changes of its machines (decision D89).
 * Lives on the decision thread.
 */
final class Ledgers {
  private final Map<String, PoolEntry> pools;

  /**
   * @param pools the pools by UID, as they are known
   */
  Ledgers(Map<String, PoolEntry> pools) {
    this.pools = pools;
  }

  /**
   * Begins to count for a pool, with what happened before this operator looked; not before all that
   * it holds was read once: what cannot be read would pass for gone.
   */
  void begin(PoolEntry entry, Pool pool) {
    if (entry.ledger == null && entry.wasReadOnce()) {
      entry.ledger =
          Resumption.ledger(
              pool.status(),
              entry.members.values().stream().map(machine -> machine.standing).toList());
    }
  }

  /** Counts what became of a machine since it was last counted. */
  void count(MachineEntry machine) {
    Standing before = machine.standing;
    Standing now = Standing.of(machine.host, machine.node).following(before);
    machine.standing = now;
    if (before.equals(now)) {
      return;
    }
    boolean moved = !before.pool().equals(now.pool());
    if (moved) {
      change(before.pool(), ledger -> Standing.NONE.entered(before, ledger));
    }
    change(now.pool(), ledger -> now.entered(moved ? Standing.NONE : before, ledger));
  }

  private void change(String poolUid, UnaryOperator<EventLedger> change) {
    PoolEntry holder = pools.get(poolUid);
    if (holder != null && holder.ledger != null) {
      holder.ledger = change.apply(holder.ledger);
    }
  }
}
