package io.nodepool.control.state;

import io.nodepool.control.state.pool.PoolRefusals;
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
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The state of the cluster, folded from observations, and its only owner. For one UID the newer
 * version wins; another UID under the same name is another object; an answer never introduces an
 * object. Work per event does not grow with a pool. Taking a snapshot changes nothing. Confined to
 * the decision thread.
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

  private final Freshness freshness = new Freshness();
  private final Namespaces namespaces;
  private final PoolTable pools;
  private final MachineTable machines;
  private final SubmittedWrites writes;
  private final PodTable pods;
  private final KnownObjects known;
  private final Surroundings surroundings;
  private final Snapshots snapshots;
  private final MemberAudit audit;
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
      Namespaces namespaces, HealthSettings health, KeyExceptions exceptions, InstantSource clock) {
    this.exceptions = exceptions;
    this.namespaces = namespaces;
    this.clock = clock;
    this.pools = new PoolTable(freshness);
    this.machines = new MachineTable(pools, namespaces, freshness, health, clock);
    this.writes = new SubmittedWrites(pools, machines);
    this.pods = new PodTable(machines, namespaces, freshness, clock);
    this.known = new KnownObjects(pools, machines, pods);
    this.surroundings = new Surroundings(pools, machines, namespaces);
    this.snapshots = new Snapshots(pools, machines, namespaces, surroundings);
    this.audit = new MemberAudit(pools, machines);
  }

  /** Whether every kind was listed once; nothing is planned before that. */
  public boolean isComplete() {
    return complete;
  }

  /** Records that every kind was listed once. Returns all keys to reconcile. */
  public Set<ReconcileKey> completed() {
    complete = true;
    surroundings.watchedFrom(clock.instant());
    Set<ReconcileKey> keys = machines.countChanged(new LinkedHashSet<>());
    machines.health().listed();
    keys.addAll(known());
    namespaces.names().stream()
        .sorted()
        .forEach(name -> keys.add(new ReconcileKey.OfNamespace(name)));
    return keys;
  }

  /** Records that no operator led for long, until then. */
  public void resumed(Instant at) {
    surroundings.resumed(at);
  }

  /** Folds one observation. Returns the keys whose plan it may change. */
  public Set<ReconcileKey> fold(Observation seen, Source source) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    if (source == Source.ANSWER && !known.include(seen)) {
      return keys;
    }
    switch (seen) {
      case Observation.PoolSeen(Pool pool) ->
          pools
              .seen(pool.allowing(exceptions), keys)
              .forEach(member -> machines.askedAnew(member, keys));
      case Observation.PoolGone(PoolId pool, long _) -> pools.gone(pool, source, keys);
      case Observation.PoolFoundEmpty(PoolId pool) -> pools.confirmEmpty(pool, keys);
      case Observation.PoolUnreadable unreadable -> pools.seen(unreadable, keys);
      case Observation.HostSeen(Host host) -> machines.seen(host, keys);
      case Observation.HostGone(HostId host, long _) -> machines.gone(host, source, keys);
      case Observation.HostUnreadable unreadable -> machines.unread().host(unreadable, keys);
      case Observation.NodeSeen(Node node) -> machines.seen(node.allowing(exceptions), keys);
      case Observation.NodeGone(String name, String uid, long _) ->
          machines.nodeGone(name, uid, source, keys);
      case Observation.NodeUnreadable unreadable -> machines.unread().node(unreadable, keys);
      case Observation.MachineRead read -> machines.machineRead(read, keys);
      case Observation.OfHealth health -> machines.health().fold(health, keys);
      case Observation.PodSeen(Pod pod) -> pods.seen(pod, complete, keys);
      case Observation.PodGone(String nodeName, String uid, long _) ->
          pods.gone(nodeName, uid, source, keys);
      case Observation.PodsListed(String node, String uid, long version, List<Pod> listed) ->
          pods.listed(node, uid, version, listed, complete, keys);
      case Observation.RequestTimed timed -> machines.timed(timed, keys);
      case Observation.JobSeen job -> machines.jobSeen(job, keys);
      case Observation.Announced announced -> machines.announced(announced, keys);
      case Observation.EvictionTried(String node, String pod, Optional<String> blockedBy) ->
          pods.tried(node, pod, blockedBy, keys);
      case Observation.NamespaceSeen(Namespace namespace) -> pods.seen(namespace, keys);
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor author) ->
          pods.authored(namespace, author, keys);
      case Observation.NamespaceGone(String name, String uid, long _) ->
          pods.namespaceGone(name, uid, source, keys);
      case Observation.ApiServerSeen(String version) -> surroundings.apiServer(version, keys);
      case Observation.HostsDefined(Optional<String> missing) ->
          surroundings.hostsDefined(missing, keys);
      case Observation.OfferSeen(var now) ->
          surroundings.offer(new PoolSnapshot.Offer.Known(now), keys);
      case Observation.OfferLost(String why) ->
          surroundings.offer(new PoolSnapshot.Offer.Lost(why), keys);
    }
    // A Node with a hundred Pods is counted once when all were listed, and not with each of them.
    return complete ? taken(keys) : keys;
  }

  /** Advances the state to the current time. Returns the keys whose plan that may change. */
  public Set<ReconcileKey> advance() {
    return machines.countChanged(new LinkedHashSet<>());
  }

  /** Folds a change that is no observation. */
  private Set<ReconcileKey> taken(Consumer<Set<ReconcileKey>> change) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    change.accept(keys);
    return taken(keys);
  }

  /** Counts what was taken in. */
  private Set<ReconcileKey> taken(Set<ReconcileKey> keys) {
    audit.outdated();
    return machines.countChanged(keys);
  }

  /**
   * Applies an action before its answer arrives: a Host that is being assigned is not free and must
   * not be assigned again, and a Node that is being cordoned is not available. What that changes is
   * counted with the next reconciliation.
   */
  public void submitted(Action action) {
    var _ = underWay(action, true);
  }

  /** Ends the effect of {@link #submitted}; the answer's object is folded and counted next. */
  public Set<ReconcileKey> resolved(Action action) {
    return underWay(action, false);
  }

  private Set<ReconcileKey> underWay(Action action, boolean begins) {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    writes.underWay(action, begins, keys);
    audit.outdated();
    return keys;
  }

  /** Excludes a Host that refused an operation until this time. */
  public Set<ReconcileKey> refused(HostId host, Instant until) {
    return taken(keys -> writes.refused(host, until, keys));
  }

  /**
   * Records why a write on a machine fails, or that it no longer fails.
   *
   * @param why the last error of the API server; empty once such a write succeeded, or was not
   *     requested for a while
   * @param denied whether the server denies the write, so that a retry is of no use
   * @return the keys to reconcile
   */
  public Set<ReconcileKey> troubled(
      String machineName, Action action, Optional<String> why, boolean denied) {
    return taken(keys -> writes.trouble(machineName, action, why, denied, keys));
  }

  /** Records that these Events were emitted. */
  public void emitted(List<EventDraft> eventDrafts) {
    machines.unread().reported(eventDrafts);
  }

  /**
   * Begins to count what happens to the Nodes of a pool, once everything that it holds was read: an
   * unreadable Node would count as removed.
   */
  public void beginLedger(String poolName) {
    Optional.ofNullable(pools.named(poolName)).ifPresent(machines.ledgers()::begin);
  }

  /** The same for the pool that holds this Host: a write of its Node would pass for what was. */
  public void beginLedgerOf(String hostName) {
    Optional.ofNullable(pools.find(machines.holder(hostName))).ifPresent(machines.ledgers()::begin);
  }

  /**
   * Records what was planned for a pool.
   *
   * @return the other pools to plan because of its new claim
   */
  public Set<ReconcileKey> planned(Pool pool, PoolPlan plan) {
    return pools.planned(pool, plan);
  }

  /** The state of the pool of this name. */
  public Optional<PoolEntry> entry(String poolName) {
    return Optional.ofNullable(pools.named(poolName));
  }

  /** What the API server refuses to write for this pool; empty if the pool is not known. */
  public Optional<PoolRefusals> refusals(PoolId pool) {
    return Optional.ofNullable(pools.find(pool.uid())).map(entry -> entry.refusals);
  }

  /** The snapshots for the planners. */
  public Snapshots snapshots() {
    return snapshots;
  }

  /** The fleet's offer, if it was observed. */
  public Optional<FleetOffer> offer() {
    return surroundings.known();
  }

  /** What is reported about the health of machines. */
  public HealthTable health() {
    return machines.health();
  }

  /** The objects that exist and cannot be read. */
  public UnreadableObjects unread() {
    return machines.unread();
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

  /**
   * Checks that the incremental counts equal a full recount, if anything was taken in since this
   * was last checked.
   *
   * @throws IllegalStateException if they differ
   */
  public void verifyCounts() {
    if (complete) {
      audit.verify();
    }
  }

  /** The machines, for checks and metrics. */
  public MachineTable machines() {
    return machines;
  }

  /** The pools, for checks. */
  public PoolTable pools() {
    return pools;
  }

  /** The keys of all pools and machines, sorted. */
  public Set<ReconcileKey> known() {
    Set<ReconcileKey> keys = new LinkedHashSet<>();
    pools.wakeAll(keys);
    machines.wakeAll(keys);
    return keys;
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
