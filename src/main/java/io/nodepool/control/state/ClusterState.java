package io.nodepool.control.state;

import io.nodepool.control.ReconcileKey;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.LeftoverNode;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * All that is known of the cluster, folded from what was seen, and the only owner of it. Within a
 * UID the newer version wins; another UID under a name is another object; an answer never
 * introduces an object. Work per event does not grow with a pool. Snapshots are pure: asking for
 * one changes nothing. Lives on the decision thread.
 */
public final class ClusterState {
  /** Where an observation comes from. */
  public enum Source {
    /** A list or watch. */
    WATCH,
    /** The answer to a write or live read of ours, which may run ahead of the watch. */
    ANSWER
  }

  private final Tombstones gone = new Tombstones();
  private final Namespaces namespaces;
  private final PoolTable pools;
  private final MachineTable machines;
  private final PodTable pods;
  private final UnreadableObjects unread;
  private final Snapshots snapshots;
  private PoolSnapshot.Offer offer =
      new PoolSnapshot.Offer.Lost("no offer of the fleet was seen yet");
  private boolean complete;

  /**
   * A state that knows nothing yet.
   *
   * @param clock the operator's one clock, which does not jump
   */
  public ClusterState(Namespaces namespaces, InstantSource clock) {
    this.namespaces = namespaces;
    this.pools = new PoolTable(gone);
    this.machines = new MachineTable(pools, namespaces, gone, clock);
    this.pods = new PodTable(machines, namespaces, gone, clock);
    this.unread = new UnreadableObjects(pools, machines);
    this.snapshots = new Snapshots(pools, machines, namespaces);
  }

  /** Whether every kind was listed once; nothing is planned before. */
  public boolean isComplete() {
    return complete;
  }

  /** Says that every kind was listed once. Returns all there is to look at. */
  public Set<ReconcileKey> completed() {
    complete = true;
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    machines.settle(keys);
    pools.wakeAll(keys);
    machines.wakeAll(keys);
    namespaces.names().stream()
        .sorted()
        .forEach(name -> keys.add(new ReconcileKey.OfNamespace(name)));
    return keys;
  }

  /** Takes in one observation. Returns the keys whose plan it may change. */
  public Set<ReconcileKey> fold(Observation seen, Source source) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    if (source == Source.ANSWER && !knows(seen)) {
      return keys;
    }
    switch (seen) {
      case Observation.PoolSeen(Pool pool) -> pools.seen(pool, keys);
      case Observation.PoolGone(PoolId pool, long _) -> foldGone(pool, source, keys);
      case Observation.PoolFoundEmpty(PoolId pool) -> pools.confirmEmpty(pool, keys);
      case Observation.PoolUnreadable unreadable -> pools.seen(unreadable, keys);
      case Observation.HostSeen(Host host) -> machines.seen(host, keys);
      case Observation.HostGone(HostId host, long _) -> foldGone(host, source, keys);
      case Observation.HostUnreadable(HostId host, long version, String why, String poolUid) ->
          machines.unreadableHost(
              host.name(), new MachineEntry.Unreadable(host.uid(), version, why), poolUid, keys);
      case Observation.NodeSeen(Node node) -> machines.seen(node, keys);
      case Observation.NodeGone(String name, String uid, long _) -> {
        gone.put(uid, source);
        machines.forgetNode(name, uid, keys);
      }
      case Observation.NodeUnreadable(String name, String uid, long version, String why) ->
          machines.unreadableNode(name, new MachineEntry.Unreadable(uid, version, why), keys);
      case Observation.MachineLooked looked -> machines.looked(looked, keys);
      case Observation.PodSeen(Pod pod) -> pods.seen(pod, complete, keys);
      case Observation.PodGone(String nodeName, String uid, long _) -> {
        gone.put(uid, source);
        pods.forget(nodeName, uid, keys);
      }
      case Observation.PodsListed(String node, String uid, long version, List<Pod> listed) ->
          pods.listed(node, uid, version, listed, complete, keys);
      case Observation.EvictionTried(String node, String pod, Optional<String> blockedBy) ->
          pods.tried(node, pod, blockedBy, keys);
      case Observation.NamespaceSeen(Namespace namespace) ->
          reclassify(keys, () -> pods.seen(namespace, keys));
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor author) ->
          reclassify(
              keys,
              () -> {
                pods.seen(namespace, keys);
                namespaces.authored(namespace, author, keys);
              });
      case Observation.NamespaceGone(String name, String uid, long _) -> {
        gone.put(uid, source);
        if (pods.knowsNamespace(name, uid)) {
          reclassify(keys, () -> namespaces.put(name, Optional.empty(), keys));
        }
      }
      case Observation.OfferSeen(var known) -> foldOffer(new PoolSnapshot.Offer.Known(known), keys);
      case Observation.OfferLost(String why) -> foldOffer(new PoolSnapshot.Offer.Lost(why), keys);
    }
    // A Node with a hundred Pods is counted once when all were listed, and not with each of them.
    return complete ? machines.settle(keys) : keys;
  }

  /**
   * Whether the object that an answer is about is here: one that the watch has already taken away
   * would stay for ever.
   */
  private boolean knows(Observation answer) {
    return switch (answer) {
      case Observation.PoolSeen(Pool pool) -> pools.knows(pool.id());
      case Observation.PoolGone(PoolId pool, long _) -> pools.find(pool.uid()) != null;
      case Observation.PoolFoundEmpty(PoolId pool) -> pools.knows(pool);
      case Observation.HostSeen(Host host) -> machines.knows(host.id());
      case Observation.HostGone(HostId host, long _) ->
          machines.knows(host) || machines.names(host);
      case Observation.MachineLooked looked -> machines.knows(looked.host());
      case Observation.NodeSeen(Node node) -> machines.knowsNode(node.name(), node.uid());
      case Observation.NodeGone(String name, String uid, long _) -> machines.knowsNode(name, uid);
      case Observation.PodSeen(Pod pod) -> pods.knows(pod.uid());
      case Observation.PodGone(String _, String uid, long _) -> pods.knows(uid);
      case Observation.PodsListed(String node, String uid, long _, List<Pod> _) ->
          machines.knowsNode(node, uid);
      case Observation.EvictionTried(String node, String _, Optional<String> _) ->
          machines.find(node) != null;
      case Observation.NamespaceSeen(Namespace namespace) ->
          pods.knowsNamespace(namespace.name(), namespace.uid());
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor _) ->
          pods.knowsNamespace(namespace.name(), namespace.uid());
      case Observation.NamespaceGone(String name, String uid, long _) ->
          pods.knowsNamespace(name, uid);
      case Observation.PoolUnreadable(PoolId pool, long _, String _) -> pools.knows(pool);
      case Observation.HostUnreadable(HostId host, long _, String _, String _) ->
          machines.knows(host);
      case Observation.NodeUnreadable(String name, String uid, long _, String _) ->
          machines.knowsNode(name, uid);
      case Observation.OfferSeen _, Observation.OfferLost _ -> true;
    };
  }

  private void foldGone(PoolId pool, Source source, Set<ReconcileKey> keys) {
    if (source == Source.ANSWER) {
      pools.confirmGone(pool, keys);
    }
    if (source == Source.WATCH || pools.knows(pool)) {
      gone.put(pool.uid(), source);
      pools.forget(pool, keys);
    }
  }

  private void foldGone(HostId host, Source source, Set<ReconcileKey> keys) {
    if (source == Source.ANSWER) {
      machines.confirmGone(host, keys);
    }
    if (source == Source.WATCH || machines.knows(host)) {
      gone.put(host.uid(), source);
      machines.forgetHost(host.name(), host.uid(), keys);
    }
  }

  private void foldOffer(PoolSnapshot.Offer seen, Set<ReconcileKey> keys) {
    if (!offer.equals(seen)) {
      Optional<String> before = organization();
      offer = seen;
      if (organization().isPresent() && !organization().equals(before)) {
        machines.wakeAll(keys);
        namespaces.names().forEach(name -> keys.add(new ReconcileKey.OfNamespace(name)));
      }
      pools.wakeAll(keys);
    }
  }

  /** A Namespace that becomes another one's changes what runs on the machines with Pods of it. */
  private void reclassify(Set<ReconcileKey> keys, Runnable change) {
    change.run();
    for (ReconcileKey key : keys) {
      if (key instanceof ReconcileKey.OfMachine(String name)) {
        Optional.ofNullable(machines.find(name)).ifPresent(machines::changed);
      }
    }
  }

  /** Takes in that time has passed. Returns the keys whose plan that may change. */
  public Set<ReconcileKey> advance() {
    return machines.settle(new LinkedHashSet<>());
  }

  /**
   * Counts on an operation before its answer: a Host that is being assigned is neither free nor to
   * be assigned again.
   */
  public void submitted(HostOperation operation) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    machines.underWay(operation, keys);
    machines.settle(keys);
  }

  /** Ends what {@link #submitted} began; the answer's object is taken in next. */
  public Set<ReconcileKey> settled(HostOperation operation) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    machines.answered(operation, keys);
    return machines.settle(keys);
  }

  /** Leaves a Host alone that refused an operation: another one may not. */
  public Set<ReconcileKey> refused(HostId host, Instant until) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    machines.refused(host, until, keys);
    return machines.settle(keys);
  }

  /**
   * Notes why a write on a machine fails, or that it does not any more.
   *
   * @param why what the API server said last; empty once such a write succeeded, or when nobody has
   *     asked for it for long
   * @param denied whether the server does not allow it, so that nothing comes of trying again
   * @return what is to be looked at
   */
  public Set<ReconcileKey> troubled(
      String machineName, Action action, Optional<String> why, boolean denied) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    machines.writeTrouble(machineName, action, why, denied, keys);
    return machines.settle(keys);
  }

  /** Takes in the object that an answer brought. */
  public Set<ReconcileKey> answered(Observation object) {
    return fold(object, Source.ANSWER);
  }

  /** Notes that these Events were emitted. */
  public void emitted(List<EventDraft> eventDrafts) {
    unread.told(eventDrafts);
  }

  /**
   * Begins to count what happens to the Nodes of a pool, once all that it holds could be read: what
   * cannot be read would pass for gone.
   */
  public void beginLedger(String poolName) {
    PoolEntry entry = pools.named(poolName);
    if (entry != null && entry.pool != null) {
      machines.ledgers().begin(entry, entry.pool);
    }
  }

  /**
   * Takes in what was planned for a pool.
   *
   * @param growth its newest growth request, published or not yet
   * @return the other pools to plan because of what it claims now
   */
  public Set<ReconcileKey> planned(Pool pool, Optional<Growth> growth) {
    return pools.planned(pool, growth, new LinkedHashSet<>());
  }

  /** How lately something was done for the pool of this name. */
  public Optional<PoolEntry.Pace> pace(String poolName) {
    return Optional.ofNullable(pools.named(poolName)).map(entry -> entry.pace);
  }

  /** The state of the pool of this name that cannot be read. */
  public Optional<PoolEntry.Unreadable> unreadablePool(String poolName) {
    return Optional.ofNullable(pools.named(poolName))
        .flatMap(entry -> Optional.ofNullable(entry.unreadable));
  }

  /** The snapshot of a pool for its planner; empty for one that is not there or cannot be read. */
  public Optional<PoolSnapshot> pool(String poolName) {
    return snapshots.pool(poolName, offer);
  }

  /**
   * The snapshot of a machine for its planner; empty for a Node without a Host, which is not ours
   * to touch, and for one of which something cannot be read: it is present, and left alone.
   */
  public Optional<MachineSnapshot> machine(String machineName) {
    return snapshots.machine(machineName, organization());
  }

  /** The snapshot of the Node of this name, if its Host was not seen. */
  public Optional<LeftoverNode> leftover(String machineName) {
    return snapshots.leftover(machineName);
  }

  /** Whether Pods of the machine are in a Namespace of which it is being looked up whose it is. */
  public boolean isOpen(String machineName) {
    MachineEntry machine = machines.find(machineName);
    return machine != null
        && machine.pods().stream().map(Pod::namespace).anyMatch(namespaces::isOpen);
  }

  /** The organisation that the fleet's Nodes are for, if its offer is known. */
  public Optional<String> organization() {
    return switch (offer) {
      case PoolSnapshot.Offer.Known known -> Optional.of(known.offer().organization());
      case PoolSnapshot.Offer.Lost _ -> Optional.empty();
    };
  }

  /** What is there and cannot be read. */
  public UnreadableObjects unread() {
    return unread;
  }

  /** The UID of the pool that holds the Host of this name, or empty text. */
  public String holder(String hostName) {
    return machines.holder(hostName);
  }

  /**
   * Checks that what is counted by differences is what all counted anew gives.
   *
   * @throws IllegalStateException if it is not
   */
  public void verifyCounts() {
    if (!complete) {
      return;
    }
    pools.stream()
        .filter(entry -> entry.pool != null)
        .forEach(entry -> {
          String uid = Objects.requireNonNull(entry.pool).id().uid();
          Members recounted = machines.counter().recounted(uid);
          if (!entry.members.equals(recounted)) {
            throw new IllegalStateException(
                "pool %s: counted %s, recounted %s".formatted(uid, entry.members, recounted));
          }
        });
  }

  /** The machines, for checks. */
  public MachineTable machines() {
    return machines;
  }

  /** The pools, for checks. */
  public PoolTable pools() {
    return pools;
  }

  /** Names of the pools and machines that are known, sorted, for checks. */
  public Set<ReconcileKey> known() {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    pools.wakeAll(keys);
    machines.wakeAll(keys);
    return keys;
  }

  /** Entries held, for leak checks: pools, machines, Pods, tombstones. */
  public List<Integer> sizes() {
    return List.of(pools.size(), machines.size(), pods.size(), gone.size());
  }
}
