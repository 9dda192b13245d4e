package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.model.Claim;
import io.nodepool.model.EventLedger;
import io.nodepool.model.LeftoverNode;
import io.nodepool.model.MachineSnapshot;
import io.nodepool.model.Member;
import io.nodepool.model.Pod;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.plan.Action;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pools, machines and what ties them together: who holds which Host, which are free, what is under
 * way. Kept on the decision thread; {@link Index} decides what gets in.
 */
final class Inventory {
  final Map<String, PoolEntry> pools = new HashMap<>();
  final SortedMap<String, String> poolUids = new TreeMap<>();
  final Map<String, MachineEntry> machines = new HashMap<>();
  final Map<String, String> podNodes = new HashMap<>();
  final Ledgers ledgers = new Ledgers(pools);
  final Unread unread = new Unread(pools, machines);
  private final FreeHosts free = new FreeHosts();
  private final InstantSource clock;
  private final InstanceCatalogue catalogue;

  /** The Namespaces that Pods are in. */
  final Namespaces namespaces;

  PoolSnapshot.Offer offer = new PoolSnapshot.Offer.Lost("no offer of the fleet was seen yet");

  /**
   * @param clock the operator's one clock, which does not jump
   */
  Inventory(InstanceCatalogue catalogue, Namespaces namespaces, InstantSource clock) {
    this.catalogue = catalogue;
    this.namespaces = namespaces;
    this.clock = clock;
  }

  /** Puts a Host where its state says it belongs. */
  void link(MachineEntry machine, Host host, Set<Key> keys) {
    machine.host = host;
    host.assignment()
        .ifPresent(assignment -> {
          PoolEntry holder = pool(assignment.pool().uid());
          holder.members.put(host.id().uid(), machine);
          holder.assigning.remove(host.id().uid());
          wakePool(assignment.pool().uid(), keys);
        });
    updateFree(machine, keys);
    ledgers.count(machine);
    keys.add(new Key.OfMachine(machine.name));
  }

  /** Takes a Host out of what its last state put it into. */
  void unlink(MachineEntry machine, Host last, Set<Key> keys) {
    free.remove(machine, last);
    last.assignment()
        .ifPresent(assignment -> {
          String uid = assignment.pool().uid();
          pool(uid).members.remove(last.id().uid());
          wakePool(uid, keys);
          dropIfUnused(uid);
        });
  }

  void nodeChanged(MachineEntry machine, Set<Key> keys) {
    machine.watchMark(clock.instant());
    ledgers.count(machine);
    keys.add(new Key.OfMachine(machine.name));
    Host host = machine.host;
    if (host != null) {
      updateFree(machine, keys);
      host.assignment().ifPresent(assignment -> wakePool(assignment.pool().uid(), keys));
    }
  }

  /**
   * Counts on an operation before its answer: a Host that is being assigned is neither free nor to
   * be assigned again.
   */
  void underWay(HostOperation operation) {
    MachineEntry machine = machine(operation.host().name());
    machine.underWay = operation;
    if (operation instanceof HostOperation.Assign) {
      pool(operation.pool().uid()).assigning.add(operation.host().uid());
    }
    updateFree(machine, new LinkedHashSet<>());
  }

  /** Ends what {@link #underWay} began; the answer's object is folded next. */
  Set<Key> answered(HostOperation operation) {
    Set<Key> keys = new LinkedHashSet<>();
    MachineEntry machine = machine(operation.host().name());
    machine.underWay = null;
    pool(operation.pool().uid()).assigning.remove(operation.host().uid());
    updateFree(machine, keys);
    dropIfUnused(operation.pool().uid());
    dropIfUnused(machine);
    return keys;
  }

  /** Leaves a Host alone that refused an operation: another one may not. */
  Set<Key> refused(HostId host, Instant until) {
    Set<Key> keys = new LinkedHashSet<>();
    MachineEntry machine = machines.get(host.name());
    if (machine != null) {
      machine.refusedUntil = until;
      updateFree(machine, keys);
    }
    return keys;
  }

  /**
   * Notes why a write on a machine fails, or that it does not any more.
   *
   * @param why what the API server said last; empty once such a write succeeded, or when nobody has
   *     asked for it for long
   * @param denied whether the server does not allow it, so that nothing comes of trying again
   * @return what is to be looked at
   */
  Set<Key> writeTrouble(String machineName, Action action, Optional<String> why, boolean denied) {
    Set<Key> keys = new LinkedHashSet<>();
    MachineEntry machine = machines.get(machineName);
    if (machine != null && machine.troubled(action, why, denied)) {
      wakePool(holder(machineName), keys);
    }
    return keys;
  }

  /**
   * A pool chooses by which of its Nodes are busy, and may not hear of a change otherwise.
   *
   * @return what is to be looked at because the machine's Node is busy and was seen idle, or the
   *     other way round
   */
  Set<Key> busyChanged(String machineName, Instant now) {
    Set<Key> keys = new LinkedHashSet<>();
    MachineEntry machine = machines.get(machineName);
    if (machine != null) {
      boolean busy = machine.workload(now, namespaces::mayBeControlPlane).isBusy();
      if (machine.busy != busy) {
        wakePool(holder(machineName), keys);
      }
    }
    return keys;
  }

  /** Files a Host as free or not; one that has become free is news for the pools that want more. */
  private void updateFree(MachineEntry machine, Set<Key> keys) {
    Host host = machine.host;
    if (host != null) {
      machine.await(clock.instant());
      if (free.update(machine, host)) {
        wakeWanting(host.machine().instanceType(), keys);
      }
    }
  }

  /** The UID of the pool that holds the Host of this name, or empty text. */
  String holder(String hostName) {
    return Optional.ofNullable(machines.get(hostName))
        .flatMap(machine -> Optional.ofNullable(machine.host))
        .flatMap(Host::assignment)
        .map(assignment -> assignment.pool().uid())
        .orElse("");
  }

  MachineEntry machine(String name) {
    return machines.computeIfAbsent(name, MachineEntry::new);
  }

  PoolEntry pool(String uid) {
    return pools.computeIfAbsent(uid, key -> new PoolEntry());
  }

  void dropIfUnused(MachineEntry machine) {
    if (machine.isUnused()) {
      machines.remove(machine.name);
    }
  }

  void dropIfUnused(String poolUid) {
    PoolEntry entry = pools.get(poolUid);
    if (entry != null && entry.isUnused()) {
      pools.remove(poolUid);
    }
  }

  private void wakePool(String uid, Set<Key> keys) {
    PoolEntry entry = pools.get(uid);
    if (entry != null && entry.pool != null) {
      keys.add(new Key.OfPool(entry.pool.id().name()));
    }
  }

  /** Counts a machine for the pool that holds its Host, though the Host cannot be read. */
  void holdUnread(MachineEntry machine, String poolUid, Set<Key> keys) {
    forgetUnread(machine, keys);
    machine.unreadHolder = poolUid;
    pool(poolUid).unread.add(machine.name);
    wakePool(poolUid, keys);
  }

  /** The machine's Host can be read, or is gone. */
  void forgetUnread(MachineEntry machine, Set<Key> keys) {
    if (!machine.unreadHolder.isEmpty()) {
      pool(machine.unreadHolder).unread.remove(machine.name);
      wakePool(machine.unreadHolder, keys);
      dropIfUnused(machine.unreadHolder);
      machine.unreadHolder = "";
    }
  }

  /** Wakes the pool that holds the Host of this name. */
  void wakeHolder(String hostName, Set<Key> keys) {
    wakePool(holder(hostName), keys);
  }

  /** Wakes the pools of a type that want more than they have. */
  void wakeWanting(String instanceType, Set<Key> keys) {
    ofType(instanceType)
        .filter(entry -> entry.wanting)
        .flatMap(entry -> Stream.ofNullable(entry.pool))
        .forEach(pool -> keys.add(new Key.OfPool(pool.id().name())));
  }

  private Stream<PoolEntry> ofType(String instanceType) {
    return poolUids.values().stream()
        .map(this::pool)
        .filter(entry -> entry.instanceType().filter(instanceType::equals).isPresent());
  }

  /** The entry of the pool that has this name now. */
  @Nullable PoolEntry entry(String poolName) {
    String uid = poolUids.get(poolName);
    return uid == null ? null : pools.get(uid);
  }

  /** The picture of a pool for its planner. */
  PoolSnapshot snapshot(PoolEntry entry, Pool pool, Instant now) {
    List<Claim> others =
        ofType(pool.spec().instanceType())
            .filter(other -> other != entry)
            .flatMap(other -> other.claim().stream())
            .sorted(Claim.ORDER)
            .toList();
    List<Member> members = new ArrayList<>(entry.members.size());
    for (MachineEntry machine : entry.members.values()) {
      Optional<Member> member = machine.member(now, namespaces);
      machine.busy = member.filter(each -> each.workload().isBusy()).isPresent();
      member.ifPresent(members::add);
    }
    return new PoolSnapshot(
        pool,
        entry.growth,
        members,
        entry.assigning.size(),
        entry.unread.stream().sorted().map(name -> unread(name, pool)).toList(),
        others,
        free.of(pool.spec().instanceType(), needed(pool, others), now),
        offer,
        entry.confirmedEmpty,
        entry.ledger == null ? EventLedger.of(pool.status()) : entry.ledger);
  }

  private PoolSnapshot.Unread unread(String name, Pool pool) {
    MachineEntry machine = machine(name);
    boolean registered =
        machine.node != null
            && machine.node.registered()
            && machine.node.poolUid().equals(pool.id().uid());
    return new PoolSnapshot.Unread(
        name, machine.unreadable().map(MachineEntry.Unreadable::why).orElse(""), registered);
  }

  /** How many free Hosts the planner has to see to know which are the pool's. */
  private long needed(Pool pool, List<Claim> others) {
    int wanted = pool.spec().target();
    if (wanted == 0) {
      return 0;
    }
    boolean anyWillDo =
        !pool.spec().affinity().isSelective()
            && others.stream().noneMatch(other -> other.affinity().isSelective())
            && catalogue.find(pool.spec().instanceType()).stream().noneMatch(InstanceType::isRack);
    return anyWillDo
        ? (long) wanted + others.stream().mapToInt(Claim::outstanding).sum()
        : Long.MAX_VALUE;
  }

  /**
   * The picture of a machine for its planner; empty for a Node without a Host, which is not ours to
   * touch, and for one of which something cannot be read: it is present, and left alone.
   */
  Optional<MachineSnapshot> snapshot(String machineName, Instant now) {
    MachineEntry machine = machines.get(machineName);
    return machine == null ? Optional.empty() : snapshot(machine, now);
  }

  private Optional<MachineSnapshot> snapshot(MachineEntry machine, Instant now) {
    Host host = machine.host;
    if (host == null || machine.unreadable().isPresent()) {
      return Optional.empty();
    }
    Optional<PoolEntry> holder =
        host.assignment().map(assignment -> pools.get(assignment.pool().uid()));
    if (holder.filter(entry -> entry.unreadable != null).isPresent()) {
      return Optional.empty();
    }
    boolean poolGone = holder.filter(entry -> entry.goneConfirmed).isPresent();
    MachineSnapshot.Evidence evidence = machine.evidence(now, poolGone);
    return Optional.of(
        new MachineSnapshot(
            host,
            Optional.ofNullable(machine.node),
            List.copyOf(machine.pods()),
            controlPlane(machine, evidence),
            holder.flatMap(entry -> Optional.ofNullable(entry.pool)),
            holder.flatMap(entry -> entry.metadata(host, machine.node)),
            evidence,
            organization()));
  }

  /** The organisation that the fleet's Nodes are for, if its offer is known. */
  Optional<String> organization() {
    return switch (offer) {
      case PoolSnapshot.Offer.Known known -> Optional.of(known.offer().organization());
      case PoolSnapshot.Offer.Lost _ -> Optional.empty();
    };
  }

  /** Whether Pods of the machine are in a Namespace of which it is being looked up whose it is. */
  boolean isOpen(String machineName) {
    MachineEntry machine = machines.get(machineName);
    return machine != null
        && machine.pods().stream().map(Pod::namespace).anyMatch(namespaces::isOpen);
  }

  private Set<String> controlPlane(MachineEntry machine, MachineSnapshot.Evidence evidence) {
    return Stream.concat(
            machine.pods().stream(),
            evidence.listed().stream().flatMap(listing -> listing.pods().stream()))
        .map(Pod::namespace)
        .filter(namespaces::areControlPlane)
        .collect(Collectors.toSet());
  }

  /** The Node of this name, if its Host was not seen. */
  Optional<LeftoverNode> leftover(String machineName, Instant now) {
    MachineEntry machine = machines.get(machineName);
    if (machine == null
        || machine.node == null
        || machine.host != null
        || machine.unreadable().isPresent()) {
      return Optional.empty();
    }
    MachineSnapshot.Evidence evidence = machine.evidence(now, false);
    return Optional.of(
        new LeftoverNode(
            machine.node, List.copyOf(machine.pods()), controlPlane(machine, evidence), evidence));
  }
}
