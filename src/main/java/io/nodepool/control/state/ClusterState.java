package io.nodepool.control.state;

import io.nodepool.control.state.machine.Deliveries;
import io.nodepool.control.state.machine.Interner;
import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.control.state.machine.PastRepairTable;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.HealthSettings;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The state of the cluster, folded from observations, and its only owner. For one UID the newer
 * version wins; another UID under the same name is another object. An answer never adds an object.
 * Work per event does not grow with a pool. Taking a snapshot changes nothing. Confined to the
 * decision thread.
 */
public final class ClusterState {
  /** The source of an observation. */
  public enum Source {
    /** A list or watch. */
    WATCH,
    /**
     * The answer to one of the operator's writes or live reads, which may be ahead of the watch.
     */
    ANSWER
  }

  private final Wakeups wakeups = new Wakeups();
  private final Freshness freshness = new Freshness();
  private final FreeHostTable free = new FreeHostTable();
  private final MachineTable machines = new MachineTable(wakeups);
  private final PoolTable pools = new PoolTable(machines, freshness, wakeups);
  private final Ledgers ledgers = new Ledgers(pools, machines);
  private final UnreadableObjects unread = new UnreadableObjects(pools, machines);
  private final Namespaces namespaces;
  private final HealthTable health;
  private final MachineFold fold;
  private final SubmittedWrites writes;
  private final PodTable pods;
  private final KnownObjects known;
  private final Surroundings surroundings;
  private final MemberCounter counter;
  private final Snapshots snapshots;
  private final KeyExceptions exceptions;
  private final InstantSource clock;
  private boolean complete;

  /**
   * Creates the state of an operator that has observed nothing.
   *
   * @param exceptions the reserved keys that specs may set
   * @param clock the operator's only clock, which does not jump
   */
  public ClusterState(
      ControlPlaneNamespaces controlPlane,
      HealthSettings settings,
      KeyExceptions exceptions,
      InstantSource clock) {
    this.exceptions = exceptions;
    this.clock = clock;
    PastRepairTable past = new PastRepairTable();
    this.namespaces = new Namespaces(controlPlane, machines, freshness, wakeups);
    this.health = new HealthTable(pools, machines, wakeups, settings);
    this.fold =
        new MachineFold(pools, machines, free, past, freshness, new Interner<>(), wakeups, clock);
    this.writes = new SubmittedWrites(pools, machines, fold);
    this.pods = new PodTable(machines, namespaces, freshness, wakeups, clock);
    this.known = new KnownObjects(pools, machines, pods, namespaces);
    this.surroundings = new Surroundings(pools, machines, namespaces);
    this.counter = new MemberCounter(pools, machines, namespaces, health, ledgers);
    this.snapshots =
        new Snapshots(pools, machines, counter, health, free, past, namespaces, surroundings);
  }

  /** Whether every kind was listed once; nothing is planned before that. */
  public boolean isComplete() {
    return complete;
  }

  /** Records that every kind was listed once. Returns all keys to reconcile. */
  public Set<ReconcileKey> completed() {
    return completed(clock.instant());
  }

  /** Records the same for an operator that has observed the cluster since this instant. */
  public Set<ReconcileKey> completed(Instant since) {
    complete = true;
    surroundings.watchedFrom(since);
    countChanged();
    health.listed();
    wakeKnown();
    namespaces.wakeAll();
    return wakeups.taken();
  }

  /** Records that a long time without a leader ended then. */
  public void resumed(Instant at) {
    surroundings.resumed(at);
  }

  /** Folds one observation. Returns the keys whose plan it may change. */
  public Set<ReconcileKey> fold(Observation seen, Source source) {
    if (source == Source.ANSWER && !known.include(seen)) {
      return Set.of();
    }
    switch (seen) {
      case Observation.PoolSeen(Pool pool) -> pools.seen(pool.allowing(exceptions));
      case Observation.PoolGone(PoolId pool, long _) -> pools.gone(pool, source);
      case Observation.PoolFoundEmpty(PoolId pool) -> pools.confirmEmpty(pool);
      case Observation.PoolUnreadable unreadable -> pools.seen(unreadable);
      case Observation.HostSeen(Host host) -> fold.seen(host);
      case Observation.HostGone(HostId host, long _) -> fold.gone(host, source);
      case Observation.HostUnreadable unreadable -> fold.seen(unreadable);
      case Observation.NodeSeen(Node node) -> fold.seen(node.allowing(exceptions));
      case Observation.NodeGone(String name, String uid, long _) ->
          fold.nodeGone(name, uid, source);
      case Observation.NodeUnreadable unreadable -> fold.seen(unreadable);
      case Observation.MachineRead read -> fold.read(read);
      case Observation.OfHealth found -> health.fold(found);
      case Observation.PodSeen(Pod pod) -> pods.seen(pod, complete);
      case Observation.PodGone(String nodeName, String uid, long _) ->
          pods.gone(nodeName, uid, source);
      case Observation.PodsListed listed -> pods.listed(listed, complete);
      case Observation.RequestTimed(String node, String uid, long version, RequestTimes times) ->
          learned(node, machine -> machine.requests.timed(uid, version, times));
      case Observation.JobSeen(String node, String _, VerificationJob job) ->
          learned(node, machine -> machine.watch.jobSeen(job, clock.instant()));
      case Observation.Announced announced ->
          learned(announced.nodeName(), machine -> machine.watch.announced(announced));
      case Observation.EvictionTried(String node, String pod, Optional<String> blockedBy) ->
          learned(node, machine -> machine.reads.tried(pod, blockedBy, clock.instant()));
      case Observation.NamespaceSeen(Namespace namespace) -> namespaces.seen(namespace);
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor author) ->
          namespaces.authored(namespace, author);
      case Observation.NamespaceGone(String name, String uid, long _) ->
          namespaces.gone(name, uid, source);
      case Observation.ApiServerSeen(String version) -> surroundings.apiServer(version);
      case Observation.HostsDefined(Optional<String> missing) -> surroundings.hostsDefined(missing);
      case Observation.OfferSeen(FleetOffer now) ->
          surroundings.offer(new PoolSnapshot.Offer.Known(now));
      case Observation.OfferLost(String why) ->
          surroundings.offer(new PoolSnapshot.Offer.Lost(why));
    }
    // During the first list, a Node is not counted with each of its Pods, but once at the end.
    return complete ? advance() : wakeups.taken();
  }

  /** Changes a machine by an observation, if the machine is known. */
  private void learned(String machineName, Consumer<MachineEntry> what) {
    MachineEntry machine = machines.find(machineName);
    if (machine != null) {
      what.accept(machine);
      wakeups.machine(machineName);
    }
  }

  /** Advances the state to the current time. Returns the keys whose plan that may change. */
  public Set<ReconcileKey> advance() {
    countChanged();
    return wakeups.taken();
  }

  private void countChanged() {
    Instant now = clock.instant();
    free.advance(now);
    counter.countChanged(now);
  }

  /**
   * Applies an action before its answer arrives: a Host that is being assigned is not free and must
   * not be assigned again, and a Node that is being cordoned is not available. The next
   * reconciliation counts the change.
   */
  public void submitted(Action action) {
    var _ = underWay(action, true);
  }

  /** Ends the effect of {@link #submitted}; the answer's object is folded and counted next. */
  public Set<ReconcileKey> resolved(Action action) {
    return underWay(action, false);
  }

  private Set<ReconcileKey> underWay(Action action, boolean begins) {
    writes.underWay(action, begins);
    return wakeups.taken();
  }

  /** Excludes a Host that refused an operation until this time. */
  public Set<ReconcileKey> refused(HostId host, Instant until) {
    writes.refused(host, until);
    return advance();
  }

  /**
   * Records why a write on a machine fails, or that it no longer fails.
   *
   * @param why the last error of the API server; empty once such a write succeeded, or if none was
   *     requested for a while
   * @param denied whether the server denies the write, so that a retry is of no use
   * @return the keys to reconcile
   */
  public Set<ReconcileKey> troubled(
      String machineName, Action action, Optional<String> why, boolean denied) {
    writes.trouble(machineName, action, why, denied);
    return advance();
  }

  /** Records that these Events were emitted. */
  public void emitted(List<EventDraft> eventDrafts) {
    unread.reported(eventDrafts);
  }

  /**
   * Begins to count what happens to the Nodes of a pool, once every object that it holds was read:
   * an unreadable Node would count as removed.
   */
  public void beginLedger(String poolName) {
    Optional.ofNullable(pools.named(poolName)).ifPresent(ledgers::begin);
  }

  /** Begins to count for the pool that holds this Host, before a write changes its Node. */
  public void beginLedgerOf(String hostName) {
    Optional.ofNullable(pools.find(machines.holder(hostName))).ifPresent(ledgers::begin);
  }

  /**
   * Records the plan of a pool.
   *
   * @return the other pools to plan because of its new claim
   */
  public Set<ReconcileKey> planned(Pool pool, PoolPlan plan) {
    pools.planned(pool, plan);
    return wakeups.taken();
  }

  /** The state of the pool of this name. */
  public Optional<PoolEntry> entry(String poolName) {
    return Optional.ofNullable(pools.named(poolName));
  }

  /** The writes for this pool that the API server refuses; empty if the pool is not known. */
  public Optional<PoolRefusals> refusals(PoolId pool) {
    return Optional.ofNullable(pools.find(pool.uid())).map(entry -> entry.refusals);
  }

  /** The machine of this name. */
  public Optional<MachineEntry> machine(String name) {
    return Optional.ofNullable(machines.find(name));
  }

  /** The snapshots for the planners. */
  public Snapshots snapshots() {
    return snapshots;
  }

  /** The fleet's offer, if it was observed. */
  public Optional<FleetOffer> offer() {
    return surroundings.known();
  }

  /** The Namespaces. */
  public Namespaces namespaces() {
    return namespaces;
  }

  /** The reports about the health of machines. */
  public HealthTable health() {
    return health;
  }

  /** The Hosts that can be assigned to pools. */
  public FreeHostTable free() {
    return free;
  }

  /** Nodes in delivery or disruption. */
  public NodesInWork inWork() {
    return counter.inWork();
  }

  /** The durations until Nodes are registered. */
  public Deliveries deliveries() {
    return counter.deliveries();
  }

  /** The objects that exist and cannot be read. */
  public UnreadableObjects unread() {
    return unread;
  }

  /** The UID of the pool that an object belongs to, or the empty string. */
  public String poolOf(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfPool(PoolId pool) -> pool.uid();
      case Action.Subject.OfHost(HostId host) -> machines.holder(host.name());
      case Action.Subject.OfNode(String name, String _) -> machines.holder(name);
      case Action.Subject.OfPod(String _, String _, String _, String node) -> machines.holder(node);
      case Action.Subject.OfNamespace _ -> "";
    };
  }

  /** The pools, for checks. */
  PoolTable pools() {
    return pools;
  }

  /** The keys of all pools and machines, sorted. */
  public Set<ReconcileKey> known() {
    wakeKnown();
    return wakeups.taken();
  }

  private void wakeKnown() {
    pools.wakeAll();
    machines.wakeAll();
  }

  /** The number of entries by collection, for leak checks. */
  public Map<String, Integer> sizes() {
    return Map.of(
        "pools", pools.size(),
        "machines", machines.size(),
        "Pods", pods.size(),
        "tombstones", freshness.size());
  }
}
