package io.nodepool.control.state;

import io.nodepool.control.state.machine.Deliveries;
import io.nodepool.control.state.machine.Interner;
import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.control.state.machine.PastRepairTable;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.health.HealthSettings;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The machines: Hosts and the Nodes that they join as, which pool holds which, and which are free.
 * Confined to the decision thread.
 */
public final class MachineTable {
  private final Map<String, MachineEntry> entries = new HashMap<>();

  /** The Nodes of a pool have equal metadata, so 50,000 Nodes share a few instances. */
  private final Interner<NodeMetadata> metadata = new Interner<>();

  private final FreeHostTable free = new FreeHostTable();
  private final PastRepairTable past = new PastRepairTable();
  private final PoolTable pools;
  private final MemberCounter counter;
  private final Freshness freshness;
  private final Ledgers ledgers;
  private final UnreadableObjects unread;
  private final HealthTable health;
  private final NodesInWork inWork = new NodesInWork();
  private final Deliveries deliveries = new Deliveries();
  private final InstantSource clock;

  /**
   * @param clock the operator's only clock, which does not jump
   */
  MachineTable(
      PoolTable pools,
      Namespaces namespaces,
      Freshness freshness,
      HealthSettings health,
      InstantSource clock) {
    this.pools = pools;
    this.ledgers = new Ledgers(pools, this);
    this.counter = new MemberCounter(pools, this, namespaces, ledgers);
    this.freshness = freshness;
    this.unread = new UnreadableObjects(pools, this, freshness);
    this.health = new HealthTable(this, health);
    this.clock = clock;
  }

  /** The machine of this name. */
  public @Nullable MachineEntry find(String name) {
    return entries.get(name);
  }

  /** The machine of this name, created if absent. */
  public MachineEntry make(String name) {
    return entries.computeIfAbsent(name, MachineEntry::new);
  }

  Stream<MachineEntry> stream() {
    return entries.values().stream();
  }

  int size() {
    return entries.size();
  }

  void wakeAll(Set<ReconcileKey> keys) {
    entries.keySet().stream().sorted().forEach(name -> keys.add(new ReconcileKey.OfMachine(name)));
  }

  void dropIfUnused(MachineEntry machine) {
    if (machine.isUnused()) {
      entries.remove(machine.name);
    }
  }

  /** The Hosts that can be assigned to pools. */
  public FreeHostTable free() {
    return free;
  }

  /** What was done to machines for alerts. */
  PastRepairTable past() {
    return past;
  }

  Ledgers ledgers() {
    return ledgers;
  }

  UnreadableObjects unread() {
    return unread;
  }

  /** What is happening to their Nodes. */
  public NodesInWork inWork() {
    return inWork;
  }

  /** How long their Nodes take to come. */
  public Deliveries deliveries() {
    return deliveries;
  }

  /** What is reported about their health. */
  public HealthTable health() {
    return health;
  }

  private Optional<Host> host(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(each -> Optional.ofNullable(each.host));
  }

  private Optional<Node> node(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(each -> Optional.ofNullable(each.node));
  }

  boolean knows(HostId host) {
    return host(host.name()).map(Host::id).filter(host::equals).isPresent();
  }

  boolean knowsNode(String name, String uid) {
    return node(name).filter(node -> node.uid().equals(uid)).isPresent();
  }

  /** Whether the machine of this name is kept for inspection. */
  boolean isPreserved(String name) {
    return host(name).flatMap(Host::preserved).isPresent();
  }

  /** Whether a Node was observed that names the Host. */
  boolean names(HostId host) {
    return node(host.name()).filter(node -> node.hostUid().equals(host.uid())).isPresent();
  }

  /** The UID of the pool that holds the Host of this name, or the empty string. */
  String holder(String hostName) {
    return host(hostName)
        .flatMap(Host::assignment)
        .map(assignment -> assignment.pool().uid())
        .orElse("");
  }

  /** Records that something else is asked of a machine than before, though the same stands. */
  void askedAnew(Member member, Set<ReconcileKey> keys) {
    String name = member.host().id().name();
    Optional.ofNullable(entries.get(name)).ifPresent(this::changed);
    keys.add(new ReconcileKey.OfMachine(name));
  }

  /** Records that a machine must be counted again. */
  void changed(MachineEntry machine) {
    counter.changed(machine);
  }

  /**
   * Updates the counts of machines to their observed states and the current time. Returns the given
   * keys and those of the pools to plan.
   */
  Set<ReconcileKey> countChanged(Set<ReconcileKey> keys) {
    Instant now = clock.instant();
    free.advance(now);
    counter.countChanged(now, keys);
    return keys;
  }

  /** The counter of the pools' members. */
  MemberCounter counter() {
    return counter;
  }

  /** Folds a state of a Host. */
  void seen(Host host, Set<ReconcileKey> keys) {
    MachineEntry machine = make(host.id().name());
    Host last = machine.host;
    if (!freshness.isNews(
        host.id().uid(), host.version(), last == null ? Freshness.NEVER : last.version())) {
      dropIfUnused(machine);
      return;
    }
    if (last != null) {
      unlink(machine, last, keys);
    }
    unread.hostRead(machine, keys);
    link(machine, host, keys);
    recorded(Optional.ofNullable(last), Optional.of(host), keys);
  }

  private void recorded(Optional<Host> last, Optional<Host> next, Set<ReconcileKey> keys) {
    past.update(last, next).forEach(pool -> pools.wake(pool, keys));
  }

  /** Adds a Host to the tables that its state belongs to. */
  private void link(MachineEntry machine, Host host, Set<ReconcileKey> keys) {
    machine.host = host;
    host.assignment()
        .ifPresent(assignment -> {
          pools.make(assignment.pool().uid()).assigning.remove(host.id().uid());
          pools.wake(assignment.pool().uid(), keys);
        });
    updateFree(machine, keys);
    keys.add(new ReconcileKey.OfMachine(machine.name));
  }

  /** Removes a Host from the tables that its last state added it to. */
  private void unlink(MachineEntry machine, Host last, Set<ReconcileKey> keys) {
    free.remove(machine, last);
    last.assignment().ifPresent(assignment -> pools.wake(assignment.pool().uid(), keys));
  }

  /** Folds that a Host no longer exists. */
  void gone(HostId host, ClusterState.Source source, Set<ReconcileKey> keys) {
    if (source == ClusterState.Source.ANSWER) {
      confirmGone(host, keys);
    }
    if (source == ClusterState.Source.WATCH || knows(host)) {
      freshness.gone(host.uid(), source);
      forgetHost(host.name(), host.uid(), keys);
    }
  }

  private void forgetHost(String name, String uid, Set<ReconcileKey> keys) {
    MachineEntry machine = entries.get(name);
    if (machine != null && isOf(machine.unreadableHost, uid)) {
      unread.hostRead(machine, keys);
      keys.add(new ReconcileKey.OfMachine(name));
      dropIfUnused(machine);
    }
    if (machine != null && machine.host != null && machine.host.id().uid().equals(uid)) {
      unlink(machine, machine.host, keys);
      recorded(Optional.of(machine.host), Optional.empty(), keys);
      machine.host = null;
      changed(machine);
      keys.add(new ReconcileKey.OfMachine(name));
      dropIfUnused(machine);
    }
  }

  private static boolean isOf(MachineEntry.@Nullable Unreadable seen, String uid) {
    return seen != null && seen.uid().equals(uid);
  }

  /** Records that a live read found that the Host does not exist. */
  private void confirmGone(HostId host, Set<ReconcileKey> keys) {
    if (names(host)) {
      make(host.name()).hostGone = host.uid();
      keys.add(new ReconcileKey.OfMachine(host.name()));
    }
  }

  /** Folds a state of a Node. */
  void seen(Node node, Set<ReconcileKey> keys) {
    MachineEntry machine = make(node.name());
    Node last = machine.node;
    if (!freshness.isNews(
        node.uid(), node.version(), last == null ? Freshness.NEVER : last.version())) {
      dropIfUnused(machine);
      return;
    }
    machine.unreadableNode = null;
    machine.node = node.withMetadata(metadata.one(node.metadata()));
    machine.requests.changed(last, machine.node, clock.instant());
    nodeChanged(machine, keys);
  }

  /** Folds that a Node no longer exists. */
  void nodeGone(String name, String uid, ClusterState.Source source, Set<ReconcileKey> keys) {
    freshness.gone(uid, source);
    MachineEntry machine = entries.get(name);
    if (machine == null) {
      return;
    }
    boolean wasUnreadable = isOf(machine.unreadableNode, uid);
    boolean wasKnown = machine.node != null && machine.node.uid().equals(uid);
    if (wasUnreadable) {
      machine.unreadableNode = null;
    }
    if (wasKnown) {
      machine.requests.changed(machine.node, null, clock.instant());
      machine.node = null;
    }
    if (wasUnreadable || wasKnown) {
      nodeChanged(machine, keys);
      dropIfUnused(machine);
    }
  }

  void nodeChanged(MachineEntry machine, Set<ReconcileKey> keys) {
    machine.nodeChanged(clock.instant());
    changed(machine);
    keys.add(new ReconcileKey.OfMachine(machine.name));
    Host host = machine.host;
    if (host != null) {
      updateFree(machine, keys);
      host.assignment().ifPresent(assignment -> pools.wake(assignment.pool().uid(), keys));
    }
  }

  /** Wakes the pool that holds a machine. */
  void wakePool(String host, Set<ReconcileKey> keys) {
    pools.wake(holder(host), keys);
  }

  /** Records the result of a live read of a machine. */
  void machineRead(Observation.MachineRead read, Set<ReconcileKey> keys) {
    MachineEntry machine = entries.get(read.host().name());
    if (machine != null && machine.reads.read(read, machine.host, clock.instant())) {
      changed(machine);
      keys.add(new ReconcileKey.OfMachine(machine.name));
      pools.wake(holder(machine.name), keys);
    }
  }

  /** Records when the request on a Node was set. */
  void timed(Observation.RequestTimed timed, Set<ReconcileKey> keys) {
    MachineEntry machine = entries.get(timed.nodeName());
    if (machine != null) {
      machine.requests.timed(timed.nodeUid(), timed.nodeVersion(), timed.times());
      keys.add(new ReconcileKey.OfMachine(machine.name));
    }
  }

  /** Records what became of the Job that verifies a machine. */
  void jobSeen(Observation.JobSeen seen, Set<ReconcileKey> keys) {
    MachineEntry machine = entries.get(seen.nodeName());
    if (machine != null) {
      machine.watch.jobSeen(seen.job(), clock.instant());
      keys.add(new ReconcileKey.OfMachine(machine.name));
    }
  }

  /** Records that the Event of what a Node is in was emitted. */
  void announced(Observation.Announced announced, Set<ReconcileKey> keys) {
    MachineEntry machine = entries.get(announced.nodeName());
    if (machine != null) {
      machine.watch.announced(announced);
      keys.add(new ReconcileKey.OfMachine(machine.name));
    }
  }

  /** Updates whether a Host is free; a newly free one wakes the pools that want more. */
  void updateFree(MachineEntry machine, Set<ReconcileKey> keys) {
    Host host = machine.host;
    if (host != null) {
      Instant now = clock.instant();
      machine.watch.changed(host, machine.node, now);
      changed(machine);
      if (free.update(machine, host, now)) {
        pools.wakeWanting(host.machine().instanceType(), keys);
      }
      free.suspected().update(machine, host).ifPresent(pool -> pools.wake(pool, keys));
    }
  }
}
