package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Claim;
import io.nodepool.model.MachineSnapshot;
import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that is known, as small records, folded from what was seen. Lives on the decision thread;
 * work per event does not grow with a pool. Within a UID the newer version wins; another UID under
 * a name is another object.
 */
public final class Index {
  /** Where an observation comes from. */
  public enum Source {
    /** A list or watch. */
    WATCH,
    /** The answer to a write or live read of ours, which may run ahead of the watch. */
    ANSWER
  }

  /** The order in which free Hosts are given out: rack by rack, slot by slot. */
  private static final Comparator<Host> FREE_ORDER =
      Comparator.comparing((Host host) -> host.machine().rack())
          .thenComparingInt(host -> host.machine().slot())
          .thenComparing(host -> host.id().uid());

  private final Map<String, PoolEntry> pools = new HashMap<>();
  private final Map<String, String> poolUids = new TreeMap<>();
  private final Map<String, MachineEntry> machines = new HashMap<>();
  private final Map<String, String> podNodes = new HashMap<>();
  private final Map<String, TreeSet<Host>> free = new HashMap<>();

  /**
   * UIDs that an answer said are gone, until the watch says so too: a late sighting must not bring
   * them back.
   */
  private final Set<String> gone = new HashSet<>();

  private PoolSnapshot.Offer offer =
      new PoolSnapshot.Offer.Lost("no offer of the fleet was seen yet");
  private boolean complete;

  /** Whether every kind was listed once; nothing is planned before. */
  public boolean isComplete() {
    return complete;
  }

  /** Says that every kind was listed once. Returns all there is to look at. */
  public Set<Key> completed() {
    complete = true;
    Set<Key> keys = new LinkedHashSet<>();
    poolUids.keySet().forEach(name -> keys.add(new Key.OfPool(name)));
    machines.keySet().stream().sorted().forEach(name -> keys.add(new Key.OfMachine(name)));
    return keys;
  }

  /** Takes in one observation. Returns the keys whose plan it may change. */
  public Set<Key> fold(Observation seen, Source source) {
    Set<Key> keys = new LinkedHashSet<>();
    if (source == Source.ANSWER && !knows(seen)) {
      return keys;
    }
    switch (seen) {
      case Observation.PoolSeen(Pool pool) -> foldPool(pool, keys);
      case Observation.PoolGone(PoolId pool, long _) -> {
        markGone(pool.uid(), source);
        forgetPool(pool, keys);
      }
      case Observation.PoolFoundEmpty(PoolId pool) -> foldEmpty(pool, keys);
      case Observation.HostSeen(Host host) -> foldHost(host, keys);
      case Observation.HostGone(HostId host, long _) -> {
        markGone(host.uid(), source);
        forgetHost(host.name(), host.uid(), keys);
      }
      case Observation.NodeSeen(Node node) -> foldNode(node, keys);
      case Observation.NodeGone(String name, String uid, long _) -> {
        markGone(uid, source);
        forgetNode(name, uid, keys);
      }
      case Observation.PodSeen(Pod pod) -> foldPod(pod, keys);
      case Observation.PodGone(String nodeName, String uid, long _) -> {
        markGone(uid, source);
        forgetPod(nodeName, uid, keys);
      }
      case Observation.OfferSeen(var known) -> foldOffer(new PoolSnapshot.Offer.Known(known), keys);
      case Observation.OfferLost(String why) -> foldOffer(new PoolSnapshot.Offer.Lost(why), keys);
    }
    return keys;
  }

  /**
   * Whether the object that an answer is about is here. An answer never introduces an object: one
   * that the watch has already taken away would stay for ever.
   */
  private boolean knows(Observation answer) {
    return switch (answer) {
      case Observation.PoolSeen(Pool pool) -> knowsPool(pool.id());
      case Observation.PoolGone(PoolId pool, long _) -> knowsPool(pool);
      case Observation.PoolFoundEmpty(PoolId pool) -> knowsPool(pool);
      case Observation.HostSeen(Host host) -> knowsHost(host.id());
      case Observation.HostGone(HostId host, long _) -> knowsHost(host);
      case Observation.NodeSeen(Node node) -> knowsNode(node.name(), node.uid());
      case Observation.NodeGone(String name, String uid, long _) -> knowsNode(name, uid);
      case Observation.PodSeen(Pod pod) -> podNodes.containsKey(pod.uid());
      case Observation.PodGone(String _, String uid, long _) -> podNodes.containsKey(uid);
      case Observation.OfferSeen _, Observation.OfferLost _ -> true;
    };
  }

  private boolean knowsPool(PoolId pool) {
    PoolEntry entry = pools.get(pool.uid());
    return entry != null && entry.pool != null;
  }

  private boolean knowsHost(HostId host) {
    MachineEntry machine = machines.get(host.name());
    return machine != null && machine.host != null && machine.host.id().equals(host);
  }

  private boolean knowsNode(String name, String uid) {
    MachineEntry machine = machines.get(name);
    return machine != null && machine.node != null && machine.node.uid().equals(uid);
  }

  private void markGone(String uid, Source source) {
    switch (source) {
      case ANSWER -> gone.add(uid);
      case WATCH -> gone.remove(uid);
    }
  }

  private void foldOffer(PoolSnapshot.Offer seen, Set<Key> keys) {
    if (!offer.equals(seen)) {
      offer = seen;
      poolUids.keySet().forEach(name -> keys.add(new Key.OfPool(name)));
    }
  }

  private void foldPool(Pool pool, Set<Key> keys) {
    PoolEntry known = entry(pool.id().name());
    Pool last = known == null ? null : known.pool;
    if (gone.contains(pool.id().uid()) || (last != null && last.version() >= pool.version())) {
      return;
    }
    if (last != null && !last.id().equals(pool.id())) {
      forgetPool(last.id(), keys);
    }
    PoolEntry entry = pools.computeIfAbsent(pool.id().uid(), uid -> new PoolEntry());
    if (entry.pool == null) {
      entry.growth = pool.status().growth();
    }
    boolean turned = entry.pool == null || entry.pool.isLeaving() != pool.isLeaving();
    entry.pool = pool;
    poolUids.put(pool.id().name(), pool.id().uid());
    keys.add(new Key.OfPool(pool.id().name()));
    if (turned) {
      entry.members.values().forEach(machine -> keys.add(new Key.OfMachine(machine.name)));
    }
  }

  private void foldEmpty(PoolId pool, Set<Key> keys) {
    PoolEntry entry = pools.get(pool.uid());
    if (entry != null) {
      entry.confirmedEmpty = true;
      keys.add(new Key.OfPool(pool.name()));
    }
  }

  private void forgetPool(PoolId pool, Set<Key> keys) {
    if (pool.uid().equals(poolUids.get(pool.name()))) {
      poolUids.remove(pool.name());
    }
    PoolEntry entry = pools.get(pool.uid());
    if (entry == null || entry.pool == null) {
      return;
    }
    String type = entry.pool.spec().instanceType();
    entry.pool = null;
    entry.members.values().forEach(machine -> keys.add(new Key.OfMachine(machine.name)));
    dropIfUnused(pool.uid());
    keys.add(new Key.OfPool(pool.name()));
    wakeWanting(type, keys);
  }

  private void foldHost(Host host, Set<Key> keys) {
    MachineEntry machine = machine(host.id().name());
    Host last = machine.host;
    if (gone.contains(host.id().uid()) || (last != null && last.version() >= host.version())) {
      dropIfUnused(machine);
      return;
    }
    if (last != null) {
      unlink(last, keys);
    }
    machine.host = host;
    host.assignment()
        .ifPresent(assignment -> {
          PoolEntry holder = pool(assignment.pool().uid());
          holder.members.put(host.id().uid(), machine);
          holder.assigning.remove(host.id().uid());
          wakePool(assignment.pool().uid(), keys);
        });
    boolean wasFree = last != null && last.isFree();
    updateFree(machine);
    if (host.isFree() && !wasFree) {
      wakeWanting(host.machine().instanceType(), keys);
    }
    keys.add(new Key.OfMachine(machine.name));
  }

  private void forgetHost(String name, String uid, Set<Key> keys) {
    MachineEntry machine = machines.get(name);
    if (machine != null && machine.host != null && machine.host.id().uid().equals(uid)) {
      unlink(machine.host, keys);
      machine.host = null;
      keys.add(new Key.OfMachine(name));
      dropIfUnused(machine);
    }
  }

  /** Takes a Host out of what its last state put it into. */
  private void unlink(Host last, Set<Key> keys) {
    free(last).remove(last);
    last.assignment()
        .ifPresent(assignment -> {
          String uid = assignment.pool().uid();
          pool(uid).members.remove(last.id().uid());
          wakePool(uid, keys);
          dropIfUnused(uid);
        });
  }

  private void foldNode(Node node, Set<Key> keys) {
    MachineEntry machine = machine(node.name());
    Node last = machine.node;
    if (gone.contains(node.uid()) || (last != null && last.version() >= node.version())) {
      dropIfUnused(machine);
      return;
    }
    machine.node = node;
    nodeChanged(machine, keys);
  }

  private void forgetNode(String name, String uid, Set<Key> keys) {
    MachineEntry machine = machines.get(name);
    if (machine != null && machine.node != null && machine.node.uid().equals(uid)) {
      machine.node = null;
      nodeChanged(machine, keys);
      dropIfUnused(machine);
    }
  }

  private void nodeChanged(MachineEntry machine, Set<Key> keys) {
    keys.add(new Key.OfMachine(machine.name));
    Host host = machine.host;
    if (host != null) {
      updateFree(machine);
      host.assignment().ifPresent(assignment -> wakePool(assignment.pool().uid(), keys));
    }
  }

  private void foldPod(Pod pod, Set<Key> keys) {
    String lastNode = podNodes.get(pod.uid());
    Pod last = lastNode == null ? null : machine(lastNode).pods.get(pod.uid());
    if (gone.contains(pod.uid()) || (last != null && last.version() >= pod.version())) {
      return;
    }
    machine(pod.nodeName()).pods.put(pod.uid(), pod);
    podNodes.put(pod.uid(), pod.nodeName());
    keys.add(new Key.OfMachine(pod.nodeName()));
  }

  private void forgetPod(String nodeName, String uid, Set<Key> keys) {
    podNodes.remove(uid);
    MachineEntry machine = machines.get(nodeName);
    if (machine != null && machine.pods.remove(uid) != null) {
      keys.add(new Key.OfMachine(nodeName));
      dropIfUnused(machine);
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
    updateFree(machine);
  }

  /** Ends what {@link #underWay} began; the answer's object is folded next. */
  void answered(HostOperation operation) {
    MachineEntry machine = machine(operation.host().name());
    machine.underWay = null;
    pool(operation.pool().uid()).assigning.remove(operation.host().uid());
    updateFree(machine);
    dropIfUnused(operation.pool().uid());
    dropIfUnused(machine);
  }

  private void updateFree(MachineEntry machine) {
    Host host = machine.host;
    if (host == null) {
      return;
    }
    if (host.isFree() && machine.node == null && machine.underWay == null) {
      free(host).add(host);
    } else {
      free(host).remove(host);
    }
  }

  private Set<Host> free(Host host) {
    return free.computeIfAbsent(host.machine().instanceType(), type -> new TreeSet<>(FREE_ORDER));
  }

  private MachineEntry machine(String name) {
    return machines.computeIfAbsent(name, MachineEntry::new);
  }

  private PoolEntry pool(String uid) {
    return pools.computeIfAbsent(uid, key -> new PoolEntry());
  }

  private void dropIfUnused(MachineEntry machine) {
    if (machine.isUnused()) {
      machines.remove(machine.name);
    }
  }

  private void dropIfUnused(String poolUid) {
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
        .filter(
            entry -> entry.pool != null && entry.pool.spec().instanceType().equals(instanceType));
  }

  /** The entry of the pool that has this name now. */
  @Nullable PoolEntry entry(String poolName) {
    String uid = poolUids.get(poolName);
    return uid == null ? null : pools.get(uid);
  }

  /** The picture of a pool for its planner. */
  PoolSnapshot snapshot(PoolEntry entry, Pool pool) {
    List<Claim> others =
        ofType(pool.spec().instanceType())
            .filter(other -> other != entry)
            .flatMap(other -> other.claim().stream())
            .sorted(Claim.ORDER)
            .toList();
    List<Member> members = new ArrayList<>(entry.members.size());
    for (MachineEntry machine : entry.members.values()) {
      snapshot(machine)
          .ifPresent(seen ->
              members.add(
                  new Member(
                      seen.host(), seen.presentNode(), Optional.ofNullable(machine.underWay))));
    }
    int needed =
        others.stream().mapToInt(Claim::outstanding).sum() + Math.max(0, pool.spec().target());
    List<PoolSnapshot.Candidate> candidates =
        free.getOrDefault(pool.spec().instanceType(), new TreeSet<>(FREE_ORDER)).stream()
            .limit(needed)
            .map(host -> new PoolSnapshot.Candidate(host.id(), host.tenancy()))
            .toList();
    return new PoolSnapshot(
        pool,
        entry.growth,
        members,
        entry.assigning.size(),
        others,
        candidates,
        offer,
        entry.confirmedEmpty);
  }

  /**
   * The picture of a machine for its planner; empty for a Node without a Host, which is not ours to
   * touch.
   */
  Optional<MachineSnapshot> snapshot(String machineName) {
    MachineEntry machine = machines.get(machineName);
    return machine == null ? Optional.empty() : snapshot(machine);
  }

  private Optional<MachineSnapshot> snapshot(MachineEntry machine) {
    Host host = machine.host;
    if (host == null) {
      return Optional.empty();
    }
    Optional<Pool> pool =
        host.assignment()
            .map(assignment -> pools.get(assignment.pool().uid()))
            .flatMap(entry -> Optional.ofNullable(entry.pool));
    return Optional.of(
        new MachineSnapshot(
            host, Optional.ofNullable(machine.node), List.copyOf(machine.pods.values()), pool));
  }

  /** Entries held, for leak checks: pools, machines, Pods, tombstones. */
  public List<Integer> sizes() {
    return List.of(pools.size(), machines.size(), podNodes.size(), gone.size());
  }
}
