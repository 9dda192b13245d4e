package io.nodepool.control.state;

import io.nodepool.control.state.MachineEntry.WithoutHost;
import io.nodepool.control.state.machine.Deliveries;
import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.control.write.Instants;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Growth;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Counts machines as members of the pools that hold them, and the busy Nodes that have no Host,
 * incrementally. Confined to the decision thread.
 */
final class MemberCounter {
  /** A machine whose member may change at this instant without an observation. */
  private record Due(Instant at, String machine) {
    static final Comparator<Due> EARLIEST =
        Comparator.comparing(Due::at).thenComparing(Due::machine);
  }

  private final TreeSet<Due> due = new TreeSet<>(Due.EARLIEST);

  private final PoolTable pools;
  private final MachineTable machines;
  private final Namespaces namespaces;
  private final HealthTable health;
  private final Ledgers ledgers;
  private final NodesInWork inWork = new NodesInWork();
  private final Deliveries deliveries = new Deliveries();
  private Instant countedAt = Instant.MIN;

  MemberCounter(
      PoolTable pools,
      MachineTable machines,
      Namespaces namespaces,
      HealthTable health,
      Ledgers ledgers) {
    this.pools = pools;
    this.machines = machines;
    this.namespaces = namespaces;
    this.health = health;
    this.ledgers = ledgers;
  }

  /** Nodes in delivery or disruption. */
  NodesInWork inWork() {
    return inWork;
  }

  /** The durations until Nodes are registered. */
  Deliveries deliveries() {
    return deliveries;
  }

  /** When the counts were last updated. */
  Instant countedAt() {
    return countedAt;
  }

  /**
   * Counts the machines that changed, by observations or with time. Wakes the pools whose plan may
   * change.
   */
  void countChanged(Instant now) {
    countedAt = now;
    while (!due.isEmpty() && !due.first().at().isAfter(now)) {
      MachineEntry machine = machines.find(due.removeFirst().machine());
      if (machine != null) {
        machine.changesAt = Instant.MAX;
        machines.changed(machine);
      }
    }
    while (machines.isBehind()) {
      // A machine that is counted may change other machines of its rack.
      count(machines.nextChanged(), now);
    }
  }

  private void count(MachineEntry machine, Instant now) {
    countWithoutHost(machine, now);
    Instant healthChangesAt = health.assess(machine, now);
    machine.needed = pools.repairs(machine.name).needed(health.of(machine));
    Optional<Member> next = machine.built(now, namespaces::mayBeControlPlane);
    boolean counts = next.isPresent() || machine.withoutHost != null;
    Instant changesAt = counts ? machine.nextChange(now) : Instant.MAX;
    countAgainAt(machine, Instants.earlier(healthChangesAt, changesAt));
    countMember(machine, next);
  }

  /** Counts a Node with tenant work whose Host does not exist. It is not a member of its pool. */
  private void countWithoutHost(MachineEntry machine, Instant now) {
    WithoutHost last = machine.withoutHost;
    WithoutHost next = withoutHost(machine, now).orElse(null);
    if (Objects.equals(last, next)) {
      return;
    }
    machine.withoutHost = next;
    if (last != null) {
      PoolEntry entry = pools.make(last.poolUid());
      entry.withoutHost = entry.withoutHost.minus(machine.name);
      pools.wake(last.poolUid());
      pools.dropIfUnused(last.poolUid());
    }
    if (next != null) {
      PoolEntry entry = pools.make(next.poolUid());
      entry.withoutHost = entry.withoutHost.plus(machine.name, next.nodeUid());
      pools.wake(next.poolUid());
    }
  }

  private Optional<WithoutHost> withoutHost(MachineEntry machine, Instant now) {
    return machine
        .busyWithoutHost(now, namespaces::mayBeControlPlane)
        .filter(node -> !node.poolUid().isEmpty())
        .map(node -> new WithoutHost(node.poolUid(), node.uid()));
  }

  /**
   * Counts one machine as a member. A pool's choice depends on which of its Nodes are busy, or
   * faulty, and such a change may not wake the pool otherwise.
   */
  private void countMember(MachineEntry machine, Optional<Member> next) {
    Optional<Member> last = machine.member;
    if (next.equals(last)) {
      return;
    }
    machine.member = next;
    inWork.count(last, next);
    last.filter(member -> next.filter(each -> isSamePlace(member, each)).isEmpty())
        .ifPresent(this::remove);
    next.ifPresent(member -> {
      PoolEntry entry = pools.make(member.poolUid());
      entry.changed(member.host().id().uid(), next);
      deliveries.count(last, next, () -> growth(entry), countedAt);
      if (last.filter(each -> isOtherForPool(each, member)).isPresent()) {
        pools.wake(member.poolUid());
      }
    });
    ledgers.count(last, next);
  }

  /** The pool's request to grow, if the pool has more Nodes now than ever since the request. */
  private static Optional<Growth> growth(PoolEntry entry) {
    return Optional.ofNullable(entry.pool)
        .flatMap(pool -> pool.status().growth())
        .filter(growth -> entry.members().count(Members.Trait.CURRENT) > growth.reached());
  }

  private static boolean isOtherForPool(Member last, Member next) {
    return last.workload().isBusy() != next.workload().isBusy()
        || !last.findings().needed().equals(next.findings().needed())
        || !last.host().report().repairs().equals(next.host().report().repairs())
        || !MachineRepair.admitted(last).equals(MachineRepair.admitted(next))
        || MachineRepair.isUnderWay(last) != MachineRepair.isUnderWay(next);
  }

  private static boolean isSamePlace(Member last, Member next) {
    return last.host().id().equals(next.host().id()) && last.poolUid().equals(next.poolUid());
  }

  private void remove(Member last) {
    PoolEntry holder = pools.make(last.poolUid());
    holder.changed(last.host().id().uid(), Optional.empty());
    pools.dropIfUnused(last.poolUid());
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
}
