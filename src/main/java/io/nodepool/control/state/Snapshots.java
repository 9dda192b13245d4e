package io.nodepool.control.state;

import io.nodepool.control.state.machine.PastRepairTable;
import io.nodepool.fleet.Host;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.repair.RepairLimits;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds the snapshots that planners use. The tables bring themselves up to date when they are
 * read.
 */
public record Snapshots(
    PoolTable pools,
    MachineTable machines,
    MemberCounter counter,
    HealthTable health,
    FreeHostTable free,
    PastRepairTable past,
    Namespaces namespaces,
    Surroundings surroundings) {
  /** The snapshot of a pool for its planner; empty if the pool does not exist or cannot be read. */
  public Optional<PoolSnapshot> pool(String poolName) {
    PoolEntry entry = pools.named(poolName);
    Pool pool = entry == null || entry.unreadable != null ? null : entry.pool;
    if (entry == null || pool == null) {
      return Optional.empty();
    }
    String type = pool.spec().instanceType();
    return Optional.of(
        new PoolSnapshot(
            pool,
            entry.growth,
            new PoolSnapshot.Held(
                entry.members(),
                entry.assigning.size(),
                entry.unread.stream().sorted().map(name -> unread(name, pool)).toList(),
                entry.withoutHost,
                past.of(pool.id().uid())),
            new PoolSnapshot.Availability(
                free.of(type).withSuspected(free.suspected().of(pool)),
                pools.claimsBeside(entry, type),
                surroundings.offer(),
                surroundings.apiServer(),
                pools.verdictsBeside(entry, type),
                pools.inFlightBeside(entry),
                past.ofType(type)),
            entry.confirmedEmpty,
            entry.ledger == null ? EventLedger.of(pool.status()) : entry.ledger,
            entry.refusals.seen(pool.status()),
            surroundings.watched().withUngraded(health.ungraded()),
            health.racks().found(host -> machines.holder(host).equals(pool.id().uid()))));
  }

  /** The figures of all pools that were read, which metrics serve beside the status. */
  public List<PoolEntry.Figures> figures() {
    return pools.stream()
        .flatMap(entry ->
            Stream.ofNullable(entry.pool)
                .map(pool ->
                    new PoolEntry.Figures(
                        pool.id().name(),
                        entry.figures,
                        entry.inFlight(),
                        RepairLimits.most(pool, entry.members()),
                        blocked(entry))))
        .toList();
  }

  private SortedMap<String, Integer> blocked(PoolEntry entry) {
    SortedMap<String, Integer> kinds = new TreeMap<>();
    entry
        .members()
        .having(Members.Trait.BLOCKED)
        .flatMap(member -> Stream.ofNullable(machines.find(member.host().id().name())))
        .flatMap(machine -> machine.blocked().map(Snapshots::ownerKind).distinct())
        .forEach(kind -> kinds.merge(kind, 1, Integer::sum));
    return kinds;
  }

  private static String ownerKind(Pod pod) {
    return pod.owner().kind().isEmpty() ? "Pod" : pod.owner().kind();
  }

  private PoolSnapshot.Unread unread(String name, Pool pool) {
    MachineEntry machine = machines.find(name);
    boolean registered =
        machine != null
            && machine.node != null
            && machine.node.registered()
            && machine.node.poolUid().equals(pool.id().uid());
    return new PoolSnapshot.Unread(
        name,
        Optional.ofNullable(machine)
            .flatMap(MachineEntry::unreadable)
            .map(MachineEntry.Unreadable::why)
            .orElse(""),
        registered);
  }

  /**
   * The snapshot of a machine for its planner; empty for a Node without a Host, which the operator
   * must not change, and for a machine with an unreadable object, which is left unchanged.
   */
  public Optional<MachineSnapshot> machine(String machineName) {
    MachineEntry machine = machines.find(machineName);
    Host host = machine == null ? null : machine.host;
    if (machine == null || host == null || machine.unreadable().isPresent()) {
      return Optional.empty();
    }
    Optional<PoolEntry> holder =
        host.assignment().flatMap(a -> Optional.ofNullable(pools.find(a.pool().uid())));
    if (holder.filter(entry -> entry.unreadable != null).isPresent()) {
      return Optional.empty();
    }
    boolean poolGone = holder.filter(entry -> entry.goneConfirmed).isPresent();
    MachineSnapshot.Evidence evidence =
        machine
            .evidence(counter.countedAt(), poolGone)
            .withPreservedBeside(holder.map(entry -> entry.preservedBeside(host)).orElse(0));
    return Optional.of(
        new MachineSnapshot(
            host,
            Optional.ofNullable(machine.node),
            bound(machine, evidence),
            holder.flatMap(entry -> Optional.ofNullable(entry.pool)),
            holder.flatMap(entry -> entry.metadata(host, machine.node)),
            evidence,
            surroundings.known(),
            health.of(machine)));
  }

  /**
   * The snapshot of the Node of this name, if its Host was not observed. Empty while no Host can be
   * observed, except for a Node whose removal was committed before.
   */
  public Optional<LeftoverNode> leftover(String machineName) {
    MachineEntry machine = machines.find(machineName);
    if (machine == null
        || machine.node == null
        || machine.host != null
        || machine.unreadable().isPresent()
        || !(surroundings.hasHosts() || machine.node.isDraining())) {
      return Optional.empty();
    }
    MachineSnapshot.Evidence evidence = machine.evidence(counter.countedAt(), false);
    return Optional.of(new LeftoverNode(machine.node, bound(machine, evidence), evidence));
  }

  /** Whether the machine has Pods of a Namespace whose owner is being looked up. */
  public boolean isOpen(String machineName) {
    return Stream.ofNullable(machines.find(machineName))
        .flatMap(machine -> machine.pods().stream())
        .map(Pod::namespace)
        .anyMatch(namespaces::isOpen);
  }

  private MachineSnapshot.Bound bound(MachineEntry machine, MachineSnapshot.Evidence evidence) {
    List<Pod> pods = List.copyOf(machine.pods());
    return new MachineSnapshot.Bound(
        pods,
        Stream.concat(
                pods.stream(), evidence.listed().stream().flatMap(found -> found.pods().stream()))
            .map(Pod::namespace)
            .filter(namespaces::areControlPlane)
            .collect(Collectors.toSet()));
  }
}
