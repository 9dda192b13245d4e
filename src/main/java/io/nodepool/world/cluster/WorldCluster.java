package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The API server of the virtual world: objects as records, one version counter, compare-and-set as
 * in the real one. Every change is delivered to the watchers, in order.
 */
public final class WorldCluster {
  /** Kinds that are listed and watched, each in a stream of its own. */
  public enum Kind {
    /** NodePools. */
    POOLS,
    /** Hosts. */
    HOSTS,
    /** Nodes. */
    NODES,
    /** What monitors report about Hosts. */
    SIGNALS,
    /** Pods. */
    PODS,
    /** Namespaces. */
    NAMESPACES,
    /** The fleet's offer, and the user's changes of the alerts. */
    OFFER
  }

  /**
   * An Event as recorded in the cluster.
   *
   * @param writes the number of attempts to write it, changed or not
   */
  public record EventRecord(EventDraft eventDraft, int writes) {}

  private final WorldStore store;
  private final WorldHosts hosts;
  private final WorldNamespaces namespaces;
  private final WorldNodes nodes;
  private final WorldPods workloads;
  private final WorldEvents events;
  private final WorldJobs jobs = new WorldJobs();
  private final AppliedWrites appliedWrites = new AppliedWrites();
  private final WorldMachines machines;
  private final WorldPools poolWrites;

  /** Creates a cluster with the data centre's Hosts, all free. */
  public WorldCluster(DataCentre dataCentre, InstanceCatalogue catalogue, InstantSource clock) {
    this.store = new WorldStore(dataCentre.offer(), clock);
    this.hosts = new WorldHosts(store);
    this.namespaces = new WorldNamespaces(store);
    this.nodes = new WorldNodes(store, catalogue);
    this.workloads = new WorldPods(store);
    this.events = new WorldEvents(store);
    this.machines = new WorldMachines(store, nodes, appliedWrites);
    this.poolWrites = new WorldPools(store, appliedWrites);
    for (DataCentre.Slot slot : dataCentre.slots(catalogue)) {
      HostId id = new HostId(slot.host(), "host-uid-" + slot.host());
      Host.Spot spot = slot.spot() ? Host.Spot.OFFERED : Host.Spot.NOT_OFFERED;
      store.hosts.put(id.name(), store.unused(id, slot.machine(), spot, clock.instant()));
    }
  }

  /** Takes over objects that were listed in another cluster. */
  public void take(List<Observation> listed) {
    store.take(listed);
  }

  /** The writes that took effect, by kind. */
  public AppliedWrites appliedWrites() {
    return appliedWrites;
  }

  /** From now on, every write is checked in this way before it is stored. */
  public void validate(ObjectValidation validation) {
    store.validation = validation;
  }

  /** The fleet's present offer. */
  public FleetOffer offer() {
    return store.offer();
  }

  /** Lists a kind, consistently. */
  public List<Observation> list(Kind kind) {
    return store.list(kind);
  }

  /** Delivers each later change of a kind to the watcher. Returns how to stop it. */
  public Runnable watch(Kind kind, Consumer<Observation> watcher) {
    return store.watch(kind, watcher);
  }

  /** Delivers each later change of these kinds to the watcher, for good. */
  public void watch(Consumer<Observation> watcher, Kind... kinds) {
    Stream.of(kinds).forEach(kind -> watch(kind, watcher));
  }

  // Actions of clients.

  /** Creates a pool. */
  public Pool createPool(String name, PoolSpec spec, Instant now) {
    return poolWrites.create(name, spec, now);
  }

  /** Changes a pool's spec. */
  public void editPool(String name, UnaryOperator<PoolSpec> edit) {
    poolWrites.edit(name, edit);
  }

  /** Replaces a pool's status, as a client that restores or copies one. */
  public void replaceStatus(String name, PoolStatus status) {
    poolWrites.replaceStatus(name, status);
  }

  /** Requests a pool's deletion. */
  public void deletePool(String name, Instant now) {
    poolWrites.delete(name, now);
  }

  /** Removes the operator's finalizer by hand, as in the runbooks. */
  public void stripFinalizer(String name) {
    setGuard(pool(name).orElseThrow().id(), false);
  }

  /** Changes of Nodes by kubelets, other controllers and users. */
  public WorldNodeClients nodeClients() {
    return new WorldNodeClients(store);
  }

  /** What monitors report about Hosts. */
  public WorldSignals signals() {
    return new WorldSignals(store);
  }

  /** Makes a pool, Host or Node unreadable for lists, watches and reads, or readable again. */
  public void garble(Kind kind, String name, boolean unreadable) {
    store.garble(kind, name, unreadable);
  }

  /** Whether the object of this kind and name is unreadable at present. */
  public boolean isGarbled(Kind kind, String name) {
    return store.isGarbled(kind, name);
  }

  /** Whether any object is unreadable at present. */
  public boolean isAnyGarbled() {
    return store.isAnyGarbled();
  }

  /** The Namespaces, for clients' actions and for checks. */
  public WorldNamespaces namespaces() {
    return namespaces;
  }

  /** Binds a new Pod that must not be interrupted to a Node. */
  public Pod bindPod(String namespace, String name, String nodeName, String ownerKind) {
    return workloads.bind(namespace, name, nodeName, ownerKind, Pod.Interruption.NONE, false);
  }

  /** Requests a Pod's deletion without a grace period. */
  public void deletePod(String uid, Instant now) {
    workloads.delete(uid, now, Duration.ZERO);
  }

  /** The Pods, for clients' actions. */
  public WorldPods workloads() {
    return workloads;
  }

  /** Actions of the machines' owner. */
  public WorldFleetAdmin fleetOwner() {
    return new WorldFleetAdmin(store);
  }

  // Actions of the operator.

  /** Carries out an intent. */
  public Answer<Observation> apply(Action action, Instant now) {
    long before = store.last();
    boolean registers = AppliedWrites.registers(action, store.nodes);
    Answer<Observation> answer = effect(action, now);
    if (answer instanceof Answer.Done<Observation> && !(action instanceof Action.Read)) {
      appliedWrites.took(action, registers, store.last() != before);
    }
    return answer;
  }

  private Answer<Observation> effect(Action action, Instant now) {
    return switch (action) {
      case Action.OnHost(HostOperation operation) -> hosts.apply(operation);
      case Action.WriteNode write -> nodes.write(write);
      case Action.ListPods list -> workloads.list(list);
      case Action.EvictPod evict -> workloads.evict(evict, now);
      case Action.DeletePod delete -> workloads.delete(delete, now);
      case Action.DeleteNode delete -> nodes.delete(delete);
      case Action.LabelNamespace label -> namespaces.label(label);
      case Action.RelabelNamespace relabel -> namespaces.relabel(relabel);
      case Action.AskLabelAuthor ask -> namespaces.author(ask);
      case Action.AskRequestTimes ask -> nodes.times(ask);
      case Action.RunJob run -> jobs.run(run, now);
      case Action.ReadJob read -> jobs.read(read, now);
      case Action.Announce announced -> announced.answer();
      case Action.PublishStatus(PoolId pool, PoolStatus status) -> poolWrites.publish(pool, status);
      case Action.AcceptCommand accept -> poolWrites.accept(accept);
      case Action.ReadMachine read -> workloads.read(read);
      case Action.Confirm(Action.Subject subject) -> read(subject);
      case Action.ConfirmEmpty(PoolId pool) -> poolWrites.confirmEmpty(pool);
    };
  }

  /** Reads an object live. */
  public Answer<Observation> read(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(HostId id) ->
          found(
              host(id.name()).filter(host -> host.id().equals(id)).map(store::seen),
              new Observation.HostGone(id, store.last()));
      case Action.Subject.OfNode(String name, String uid) ->
          found(
              node(name, uid).map(store::seen), new Observation.NodeGone(name, uid, store.last()));
      case Action.Subject.OfPod pod -> workloads.read(pod);
      case Action.Subject.OfNamespace(String name, String uid) -> namespaces.read(name, uid);
      case Action.Subject.OfPool(PoolId id) ->
          found(
              pool(id.name()).filter(pool -> pool.id().equals(id)).map(store::seen),
              new Observation.PoolGone(id, store.last()));
    };
  }

  private static Answer<Observation> found(Optional<Observation> object, Observation gone) {
    return new Answer.Done<>(object.orElse(gone));
  }

  /**
   * Adds the operator's finalizer to a pool or removes it; without it, a pool whose deletion was
   * requested is removed immediately.
   */
  public void setGuard(PoolId id, boolean guarded) {
    poolWrites.setGuard(id, guarded);
  }

  /** The Jobs that verify repaired machines. */
  public WorldJobs jobs() {
    return jobs;
  }

  // Actions of machines.

  /**
   * Carries out the write of a machine or its kubelet; an outdated write is dropped silently, since
   * the machine is reconciled again.
   */
  public void apply(FleetAction action, Instant now) {
    machines.apply(action, now);
  }

  /** The number of power cycles of each machine, counted from its reports. */
  public SortedMap<String, Integer> powerCycles() {
    return machines.powerCycles();
  }

  /** The number of power cycles by configuration, then by machine. */
  public SortedMap<String, SortedMap<String, Integer>> powerCyclesInto() {
    return machines.powerCyclesInto();
  }

  /** The pool of this name. */
  public Optional<Pool> pool(String name) {
    return Optional.ofNullable(store.pools.get(name));
  }

  /** The pool that a Node belongs to, by its UID. */
  public Optional<Pool> poolOf(Node node) {
    return store.pools.values().stream()
        .filter(pool -> pool.id().uid().equals(node.poolUid()))
        .findFirst();
  }

  /** The Host of this name. */
  public Optional<Host> host(String name) {
    return Optional.ofNullable(store.hosts.get(name));
  }

  /** The Node of this name. */
  public Optional<Node> node(String name) {
    return Optional.ofNullable(store.nodes.get(name));
  }

  /** The Node of this name, if it has this UID. */
  public Optional<Node> node(String name, String uid) {
    return node(name).filter(node -> node.uid().equals(uid));
  }

  /** All Hosts, by name. */
  public SortedMap<String, Host> hosts() {
    return Collections.unmodifiableSortedMap(store.hosts);
  }

  /** All Nodes, by name. */
  public SortedMap<String, Node> nodes() {
    return Collections.unmodifiableSortedMap(store.nodes);
  }

  /** All Pods, by UID. */
  public SortedMap<String, Pod> pods() {
    return Collections.unmodifiableSortedMap(store.pods);
  }

  /** All pools, by name. */
  public SortedMap<String, Pool> pools() {
    return Collections.unmodifiableSortedMap(store.pools);
  }

  /** All Events, by identity. */
  public SortedMap<String, EventRecord> events() {
    return events.standing();
  }

  /** The writes of Events, and which were written again after they had expired. */
  public WorldEvents eventLog() {
    return events;
  }

  /** The version of the last change. */
  public long version() {
    return store.last();
  }
}
