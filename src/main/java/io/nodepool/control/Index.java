package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Node;
import io.nodepool.model.NodeMetadata;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSnapshot;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

  private final Inventory inventory;
  private final InstantSource clock;

  /**
   * UIDs that an answer said are gone, until the watch says so too: a late sighting must not bring
   * them back.
   */
  private final Set<String> gone = new HashSet<>();

  /** The Nodes of a pool carry the same; so 50,000 of them hold a few instances of it. */
  private final Interner<NodeMetadata> metadata = new Interner<>();

  private boolean complete;

  Index(Inventory inventory, InstantSource clock) {
    this.inventory = inventory;
    this.clock = clock;
  }

  /** Whether every kind was listed once; nothing is planned before. */
  public boolean isComplete() {
    return complete;
  }

  /** Says that every kind was listed once. Returns all there is to look at. */
  public Set<Key> completed() {
    complete = true;
    Set<Key> keys = new LinkedHashSet<>();
    inventory.poolUids.keySet().forEach(name -> keys.add(new Key.OfPool(name)));
    inventory.machines.keySet().stream()
        .sorted()
        .forEach(name -> keys.add(new Key.OfMachine(name)));
    inventory.namespaces.names().stream()
        .sorted()
        .forEach(name -> keys.add(new Key.OfNamespace(name)));
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
        if (source == Source.ANSWER) {
          confirmGone(pool, keys);
        }
        if (source == Source.WATCH || knowsPool(pool)) {
          markGone(pool.uid(), source);
          forgetPool(pool, keys);
        }
      }
      case Observation.PoolFoundEmpty(PoolId pool) -> foldEmpty(pool, keys);
      case Observation.HostSeen(Host host) -> foldHost(host, keys);
      case Observation.HostGone(HostId host, long _) -> {
        if (source == Source.ANSWER) {
          confirmGone(host, keys);
        }
        if (source == Source.WATCH || knowsHost(host)) {
          markGone(host.uid(), source);
          forgetHost(host.name(), host.uid(), keys);
        }
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
      case Observation.PodsListed(String node, String uid, long version, List<Pod> pods) ->
          foldListed(node, uid, version, pods, keys);
      case Observation.EvictionTried(String node, String pod, Optional<String> blockedBy) ->
          foldTried(node, pod, blockedBy, keys);
      case Observation.NamespaceSeen(Namespace namespace) -> foldNamespace(namespace, keys);
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor author) -> {
        foldNamespace(namespace, keys);
        inventory.namespaces.authored(namespace, author, keys);
      }
      case Observation.NamespaceGone(String name, String uid, long _) -> {
        markGone(uid, source);
        if (knowsNamespace(name, uid)) {
          inventory.namespaces.put(name, Optional.empty(), keys);
        }
      }
      case Observation.PoolUnreadable unreadable -> foldUnreadable(unreadable, keys);
      case Observation.HostUnreadable(HostId host, long version, String why, String poolUid) ->
          foldUnreadableHost(
              host.name(), new MachineEntry.Unreadable(host.uid(), version, why), poolUid, keys);
      case Observation.NodeUnreadable(String name, String uid, long version, String why) ->
          foldUnreadableNode(name, new MachineEntry.Unreadable(uid, version, why), keys);
      case Observation.MachineLooked looked -> foldLooked(looked, keys);
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
      case Observation.PoolGone(PoolId pool, long _) -> inventory.pools.containsKey(pool.uid());
      case Observation.PoolFoundEmpty(PoolId pool) -> knowsPool(pool);
      case Observation.HostSeen(Host host) -> knowsHost(host.id());
      case Observation.HostGone(HostId host, long _) -> knowsHost(host) || names(host);
      case Observation.MachineLooked looked -> knowsHost(looked.host());
      case Observation.NodeSeen(Node node) -> knowsNode(node.name(), node.uid());
      case Observation.NodeGone(String name, String uid, long _) -> knowsNode(name, uid);
      case Observation.PodSeen(Pod pod) -> inventory.podNodes.containsKey(pod.uid());
      case Observation.PodGone(String _, String uid, long _) -> inventory.podNodes.containsKey(uid);
      case Observation.PodsListed(String node, String uid, long _, List<Pod> _) ->
          knowsNode(node, uid);
      case Observation.EvictionTried(String node, String _, Optional<String> _) ->
          inventory.machines.containsKey(node);
      case Observation.NamespaceSeen(Namespace namespace) ->
          knowsNamespace(namespace.name(), namespace.uid());
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor _) ->
          knowsNamespace(namespace.name(), namespace.uid());
      case Observation.NamespaceGone(String name, String uid, long _) -> knowsNamespace(name, uid);
      case Observation.PoolUnreadable(PoolId pool, long _, String _) -> knowsPool(pool);
      case Observation.HostUnreadable(HostId host, long _, String _, String _) -> knowsHost(host);
      case Observation.NodeUnreadable(String name, String uid, long _, String _) ->
          knowsNode(name, uid);
      case Observation.OfferSeen _, Observation.OfferLost _ -> true;
    };
  }

  private boolean knowsPool(PoolId pool) {
    PoolEntry entry = inventory.pools.get(pool.uid());
    return entry != null && entry.pool != null;
  }

  private boolean knowsHost(HostId host) {
    MachineEntry machine = inventory.machines.get(host.name());
    return machine != null && machine.host != null && machine.host.id().equals(host);
  }

  /** Whether a Node is known that names the Host. */
  private boolean names(HostId host) {
    MachineEntry machine = inventory.machines.get(host.name());
    return machine != null && machine.node != null && machine.node.hostUid().equals(host.uid());
  }

  private boolean knowsNode(String name, String uid) {
    MachineEntry machine = inventory.machines.get(name);
    return machine != null && machine.node != null && machine.node.uid().equals(uid);
  }

  private boolean knowsNamespace(String name, String uid) {
    return inventory.namespaces.find(name).filter(seen -> seen.uid().equals(uid)).isPresent();
  }

  private void markGone(String uid, Source source) {
    switch (source) {
      case ANSWER -> gone.add(uid);
      case WATCH -> gone.remove(uid);
    }
  }

  private void foldOffer(PoolSnapshot.Offer seen, Set<Key> keys) {
    if (!inventory.offer.equals(seen)) {
      Optional<String> organization = inventory.organization();
      inventory.offer = seen;
      if (inventory.organization().isPresent() && !inventory.organization().equals(organization)) {
        inventory.machines.keySet().forEach(name -> keys.add(new Key.OfMachine(name)));
        inventory.namespaces.names().forEach(name -> keys.add(new Key.OfNamespace(name)));
      }
      inventory.poolUids.keySet().forEach(name -> keys.add(new Key.OfPool(name)));
    }
  }

  private void foldPool(Pool pool, Set<Key> keys) {
    PoolEntry known = inventory.entry(pool.id().name());
    Pool last = known == null ? null : known.pool;
    if (gone.contains(pool.id().uid()) || (last != null && last.version() >= pool.version())) {
      return;
    }
    if (last != null && !last.id().equals(pool.id())) {
      forgetPool(last.id(), keys);
    }
    PoolEntry entry = inventory.pools.computeIfAbsent(pool.id().uid(), uid -> new PoolEntry());
    if (entry.pool == null) {
      entry.growth = pool.status().growth();
    }
    boolean turned = entry.pool == null || entry.pool.isLeaving() != pool.isLeaving();
    Optional<NodeTemplate> followed = pool.followed();
    boolean keeps = pool.keepsMetadata();
    boolean follows =
        (followed.isPresent() && !followed.equals(entry.followed))
            || (keeps && !entry.keepsMetadata);
    boolean healed = entry.unreadable != null;
    entry.unreadable = null;
    entry.goneConfirmed = false;
    entry.pool = pool;
    if (entry.ledger != null) {
      entry.ledger = entry.ledger.published(pool.status());
    }
    entry.followed = followed;
    entry.keepsMetadata = keeps;
    inventory.poolUids.put(pool.id().name(), pool.id().uid());
    keys.add(new Key.OfPool(pool.id().name()));
    if (turned || follows || healed) {
      entry.members.values().forEach(machine -> keys.add(new Key.OfMachine(machine.name)));
    }
  }

  /** It is present, and neither it nor a machine that it holds is touched. */
  private void foldUnreadable(Observation.PoolUnreadable seen, Set<Key> keys) {
    PoolId id = seen.pool();
    PoolEntry known = inventory.entry(id.name());
    Pool last = known == null ? null : known.pool;
    if (gone.contains(id.uid()) || (last != null && last.version() >= seen.version())) {
      return;
    }
    if (last != null && !last.id().equals(id)) {
      forgetPool(last.id(), keys);
    }
    PoolEntry entry = inventory.pools.computeIfAbsent(id.uid(), uid -> new PoolEntry());
    boolean said =
        entry.unreadable != null
            && entry.unreadable.said()
            && entry.unreadable.why().equals(seen.why());
    entry.unreadable = new PoolEntry.Unreadable(id, seen.version(), seen.why(), said);
    inventory.poolUids.put(id.name(), id.uid());
    keys.add(new Key.OfPool(id.name()));
    entry.members.values().forEach(machine -> keys.add(new Key.OfMachine(machine.name)));
  }

  private void foldUnreadableHost(
      String name, MachineEntry.Unreadable seen, String poolUid, Set<Key> keys) {
    MachineEntry machine = inventory.machine(name);
    Host last = machine.host;
    if (gone.contains(seen.uid()) || (last != null && last.version() >= seen.version())) {
      inventory.dropIfUnused(machine);
      return;
    }
    machine.unreadableHost = seen;
    if (last == null && !poolUid.isEmpty()) {
      inventory.holdUnread(machine, poolUid, keys);
    }
    inventory.nodeChanged(machine, keys);
  }

  private void foldUnreadableNode(String name, MachineEntry.Unreadable seen, Set<Key> keys) {
    MachineEntry machine = inventory.machine(name);
    Node last = machine.node;
    if (gone.contains(seen.uid()) || (last != null && last.version() >= seen.version())) {
      inventory.dropIfUnused(machine);
      return;
    }
    machine.unreadableNode = seen;
    inventory.nodeChanged(machine, keys);
  }

  private void confirmGone(PoolId pool, Set<Key> keys) {
    PoolEntry entry = inventory.pools.get(pool.uid());
    if (entry != null) {
      entry.goneConfirmed = true;
      entry.members.values().forEach(machine -> keys.add(new Key.OfMachine(machine.name)));
    }
  }

  private void confirmGone(HostId host, Set<Key> keys) {
    if (names(host)) {
      inventory.machine(host.name()).hostGone = host.uid();
      keys.add(new Key.OfMachine(host.name()));
    }
  }

  private void foldLooked(Observation.MachineLooked looked, Set<Key> keys) {
    MachineEntry machine = inventory.machines.get(looked.host().name());
    if (machine != null && machine.looked(looked, clock.instant())) {
      keys.add(new Key.OfMachine(machine.name));
      inventory.wakeHolder(machine.name, keys);
    }
  }

  private void foldEmpty(PoolId pool, Set<Key> keys) {
    PoolEntry entry = inventory.pools.get(pool.uid());
    if (entry != null) {
      entry.confirmedEmpty = true;
      keys.add(new Key.OfPool(pool.name()));
    }
  }

  private void forgetPool(PoolId pool, Set<Key> keys) {
    if (pool.uid().equals(inventory.poolUids.get(pool.name()))) {
      inventory.poolUids.remove(pool.name());
    }
    PoolEntry entry = inventory.pools.get(pool.uid());
    if (entry == null || (entry.pool == null && entry.unreadable == null)) {
      return;
    }
    Optional<String> type = entry.instanceType();
    entry.pool = null;
    entry.unreadable = null;
    entry.ledger = null;
    entry.followed = Optional.empty();
    entry.keepsMetadata = false;
    entry.members.values().forEach(machine -> keys.add(new Key.OfMachine(machine.name)));
    inventory.dropIfUnused(pool.uid());
    keys.add(new Key.OfPool(pool.name()));
    type.ifPresent(each -> inventory.wakeWanting(each, keys));
  }

  private void foldHost(Host host, Set<Key> keys) {
    MachineEntry machine = inventory.machine(host.id().name());
    Host last = machine.host;
    if (gone.contains(host.id().uid()) || (last != null && last.version() >= host.version())) {
      inventory.dropIfUnused(machine);
      return;
    }
    if (last != null) {
      inventory.unlink(machine, last, keys);
    }
    inventory.forgetUnread(machine, keys);
    machine.unreadableHost = null;
    inventory.link(machine, host, keys);
  }

  private void forgetHost(String name, String uid, Set<Key> keys) {
    MachineEntry machine = inventory.machines.get(name);
    if (machine != null && isOf(machine.unreadableHost, uid)) {
      inventory.forgetUnread(machine, keys);
      machine.unreadableHost = null;
      keys.add(new Key.OfMachine(name));
      inventory.dropIfUnused(machine);
    }
    if (machine != null && machine.host != null && machine.host.id().uid().equals(uid)) {
      inventory.unlink(machine, machine.host, keys);
      machine.host = null;
      inventory.ledgers.count(machine);
      keys.add(new Key.OfMachine(name));
      inventory.dropIfUnused(machine);
    }
  }

  private static boolean isOf(MachineEntry.@Nullable Unreadable seen, String uid) {
    return seen != null && seen.uid().equals(uid);
  }

  private void foldNode(Node node, Set<Key> keys) {
    MachineEntry machine = inventory.machine(node.name());
    Node last = machine.node;
    if (gone.contains(node.uid()) || (last != null && last.version() >= node.version())) {
      inventory.dropIfUnused(machine);
      return;
    }
    machine.unreadableNode = null;
    machine.node = node.withMetadata(metadata.one(node.metadata()));
    inventory.nodeChanged(machine, keys);
  }

  private void forgetNode(String name, String uid, Set<Key> keys) {
    MachineEntry machine = inventory.machines.get(name);
    if (machine == null) {
      return;
    }
    boolean wasUnreadable = isOf(machine.unreadableNode, uid);
    boolean wasKnown = machine.node != null && machine.node.uid().equals(uid);
    if (wasUnreadable) {
      machine.unreadableNode = null;
    }
    if (wasKnown) {
      machine.node = null;
    }
    if (wasUnreadable || wasKnown) {
      inventory.nodeChanged(machine, keys);
      inventory.dropIfUnused(machine);
    }
  }

  private void foldPod(Pod pod, Set<Key> keys) {
    String lastNode = inventory.podNodes.get(pod.uid());
    Pod last = lastNode == null ? null : inventory.machine(lastNode).pod(pod.uid());
    if (gone.contains(pod.uid()) || (last != null && last.version() >= pod.version())) {
      return;
    }
    if (last != null) {
      inventory.namespaces.left(last);
    }
    inventory.namespaces.arrived(pod);
    MachineEntry machine = inventory.machine(pod.nodeName());
    machine.put(machine.endings.local(pod, complete, clock.instant()));
    inventory.podNodes.put(pod.uid(), pod.nodeName());
    keys.add(new Key.OfMachine(pod.nodeName()));
  }

  private void forgetPod(String nodeName, String uid, Set<Key> keys) {
    inventory.podNodes.remove(uid);
    MachineEntry machine = inventory.machines.get(nodeName);
    Pod last = machine == null ? null : machine.ended(uid);
    if (machine != null && last != null) {
      inventory.namespaces.left(last);
      keys.add(new Key.OfMachine(nodeName));
      inventory.dropIfUnused(machine);
    }
  }

  private void foldListed(String node, String uid, long version, List<Pod> pods, Set<Key> keys) {
    MachineEntry machine = inventory.machines.get(node);
    if (machine == null) {
      return;
    }
    Instant now = clock.instant();
    List<Pod> local = pods.stream().map(pod -> machine.endings.local(pod, complete, now)).toList();
    if (machine.listed(uid, version, local, now)) {
      keys.add(new Key.OfMachine(node));
    }
  }

  private void foldTried(String node, String pod, Optional<String> blockedBy, Set<Key> keys) {
    MachineEntry machine = inventory.machines.get(node);
    if (machine != null) {
      machine.tried(pod, blockedBy, clock.instant());
      keys.add(new Key.OfMachine(node));
    }
  }

  private void foldNamespace(Namespace namespace, Set<Key> keys) {
    Optional<Namespace> last = inventory.namespaces.find(namespace.name());
    if (!gone.contains(namespace.uid())
        && last.filter(seen -> seen.version() >= namespace.version()).isEmpty()) {
      inventory.namespaces.put(namespace.name(), Optional.of(namespace), keys);
    }
  }

  /** Entries held, for leak checks: pools, machines, Pods, tombstones. */
  public List<Integer> sizes() {
    return List.of(
        inventory.pools.size(), inventory.machines.size(), inventory.podNodes.size(), gone.size());
  }
}
