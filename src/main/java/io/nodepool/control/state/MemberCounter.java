package io.nodepool.control.state;

import io.nodepool.control.ReconcileKey;
import io.nodepool.model.node.Member;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Counts machines as members of the pools that hold them, incrementally. Confined to the decision
 * thread.
 */
final class MemberCounter {
  /** A machine whose member may change at this instant without an observation. */
  private record Due(Instant at, String machine) {
    static final Comparator<Due> EARLIEST =
        Comparator.comparing(Due::at).thenComparing(Due::machine);
  }

  private final TreeSet<Due> due = new TreeSet<>(Due.EARLIEST);

  /** The machines that changed since they were last counted. */
  private final Set<MachineEntry> changed = new LinkedHashSet<>();

  private final PoolTable pools;
  private final MachineTable machines;
  private final Namespaces namespaces;
  private Instant settledAt = Instant.MIN;

  MemberCounter(PoolTable pools, MachineTable machines, Namespaces namespaces) {
    this.pools = pools;
    this.machines = machines;
    this.namespaces = namespaces;
  }

  /** Records that a machine must be counted again. */
  void changed(MachineEntry machine) {
    changed.add(machine);
  }

  /** When the counts were last updated. */
  Instant settledAt() {
    return settledAt;
  }

  /** Counts the machines that changed, by observations or with time. Adds the pools to plan. */
  void settle(Instant now, Set<ReconcileKey> keys) {
    settledAt = now;
    while (!due.isEmpty() && !due.first().at().isAfter(now)) {
      MachineEntry machine = machines.find(due.removeFirst().machine());
      if (machine != null) {
        machine.changesAt = Instant.MAX;
        changed.add(machine);
      }
    }
    changed.forEach(machine -> count(machine, now, keys));
    changed.clear();
  }

  /**
   * Counts one machine. A pool's choice depends on which of its Nodes are busy, and such a change
   * may not wake the pool otherwise.
   */
  private void count(MachineEntry machine, Instant now, Set<ReconcileKey> keys) {
    Member last = machine.member;
    Member next = machine.built(now, namespaces).orElse(null);
    countAgainAt(machine, next == null ? Instant.MAX : machine.nextChange(now));
    if (next == null || next.equals(last)) {
      return;
    }
    machine.member = next;
    String holder = machines.holder(machine.name);
    PoolEntry entry = pools.make(holder);
    entry.members = entry.members.with(next);
    if (last != null && last.workload().isBusy() != next.workload().isBusy()) {
      pools.wake(holder, keys);
    }
  }

  private void countAgainAt(MachineEntry machine, Instant at) {
    if (!machine.changesAt.equals(at)) {
      due.remove(new Due(machine.changesAt, machine.name));
      machine.changesAt = at;
      if (!at.equals(Instant.MAX)) {
        due.add(new Due(at, machine.name));
      }
    }
  }

  /** The members of the pool with this UID, all built anew, for checks. */
  List<Member> rebuilt(String poolUid) {
    return machines.stream()
        .flatMap(machine -> machine.built(settledAt, namespaces).stream())
        .filter(member -> member.host().isHeldBy(poolUid))
        .toList();
  }
}
