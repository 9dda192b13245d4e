package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Node;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSpec;
import io.nodepool.model.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.Notice;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The API server of the virtual world: objects as records, one version counter, compare-and-set as
 * the real one does it. Every change is told to whoever watches, in order.
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
    /** Pods. */
    PODS,
    /** The fleet's offer. */
    OFFER
  }

  /** An event as it stands in the cluster. */
  public record EventRecord(Notice notice, int told) {}

  private final SortedMap<String, Pool> pools = new TreeMap<>();
  private final SortedMap<String, Host> hosts = new TreeMap<>();
  private final SortedMap<String, Node> nodes = new TreeMap<>();
  private final SortedMap<String, Pod> pods = new TreeMap<>();
  private final SortedMap<String, EventRecord> events = new TreeMap<>();
  private final Map<Kind, List<Consumer<Observation>>> watchers = new EnumMap<>(Kind.class);
  private final Tally tally = new Tally();
  private FleetOffer offer;
  private long version;
  private long uids;

  /** A cluster in which the data centre's Hosts stand, all free. */
  public WorldCluster(DataCentre dataCentre, InstanceCatalogue catalogue, Instant now) {
    this.offer = dataCentre.offer();
    for (DataCentre.Slot slot : dataCentre.slots(catalogue)) {
      HostId id = new HostId(slot.host(), "host-uid-" + slot.host());
      Host.Report report = new Host.Report(HostPhase.FREE, 0, "", "", now);
      hosts.put(
          id.name(),
          new Host(id, ++version, slot.machine(), 0, Optional.empty(), "", Host.Power.ON, report));
    }
  }

  /** What took effect, by kind of write. */
  public Tally tally() {
    return tally;
  }

  /** What the fleet offers now. */
  public FleetOffer offer() {
    return offer;
  }

  /** Lists a kind, consistently. */
  public List<Observation> list(Kind kind) {
    return switch (kind) {
      case POOLS -> pools.values().stream().<Observation>map(Observation.PoolSeen::new).toList();
      case HOSTS -> hosts.values().stream().<Observation>map(Observation.HostSeen::new).toList();
      case NODES -> nodes.values().stream().<Observation>map(Observation.NodeSeen::new).toList();
      case PODS -> pods.values().stream().<Observation>map(Observation.PodSeen::new).toList();
      case OFFER -> List.of(new Observation.OfferSeen(offer));
    };
  }

  /** Tells the watcher each later change of a kind. Returns how to stop. */
  public Runnable watch(Kind kind, Consumer<Observation> watcher) {
    List<Consumer<Observation>> ofKind = watchers.computeIfAbsent(kind, key -> new ArrayList<>());
    ofKind.add(watcher);
    return () -> ofKind.remove(watcher);
  }

  private void tell(Kind kind, Observation seen) {
    List.copyOf(watchers.getOrDefault(kind, List.of())).forEach(watcher -> watcher.accept(seen));
  }

  // What clients do.

  /** Creates a pool. */
  public Pool createPool(String name, PoolSpec spec, Instant now) {
    if (pools.containsKey(name)) {
      throw new IllegalStateException("pool " + name + " exists");
    }
    PoolId id = new PoolId(name, "pool-uid-" + ++uids);
    return put(new Pool(id, ++version, 1, now, Optional.empty(), false, spec, PoolStatus.NONE));
  }

  /** Changes a pool's spec. */
  public void editPool(String name, UnaryOperator<PoolSpec> edit) {
    Pool pool = pool(name).orElseThrow();
    put(Changed.spec(pool, ++version, edit.apply(pool.spec())));
  }

  /** Asks for a pool's deletion. */
  public void deletePool(String name, Instant now) {
    Pool pool = pool(name).orElseThrow();
    if (!pool.guarded()) {
      removePool(pool);
    } else if (!pool.isLeaving()) {
      put(Changed.leaving(pool, ++version, now));
    }
  }

  /** Takes our finalizer off by hand, as runbooks do. */
  public void stripFinalizer(String name) {
    setGuard(pool(name).orElseThrow().id(), false);
  }

  /** Deletes a Node object by hand. */
  public void deleteNodeByHand(String name) {
    Optional.ofNullable(nodes.get(name)).ifPresent(this::removeNode);
  }

  /** Binds a new Pod to a Node. */
  public Pod bindPod(String namespace, String name, String nodeName, String ownerKind) {
    String uid = "pod-uid-" + ++uids;
    Pod pod =
        new Pod(
            namespace,
            name,
            uid,
            ++version,
            nodeName,
            ownerKind,
            name,
            false,
            false,
            false,
            Optional.empty());
    pods.put(uid, pod);
    tell(Kind.PODS, new Observation.PodSeen(pod));
    return pod;
  }

  /** Asks for a Pod's deletion; it ends when its grace does. */
  public void deletePod(String uid, Instant graceEnds) {
    Pod pod = pods.get(uid);
    if (pod != null) {
      put(Changed.pod(pod, ++version, pod.started(), Optional.of(graceEnds)));
    }
  }

  /** Replaces the fleet's offer. */
  public void setOffer(FleetOffer next) {
    offer = next;
    tell(Kind.OFFER, new Observation.OfferSeen(next));
  }

  // What the operator does.

  /** Carries out an intent. */
  public Answer<Observation> apply(Action action) {
    Answer<Observation> answer = effect(action);
    if (answer instanceof Answer.Done<Observation> && !(action instanceof Action.ConfirmEmpty)) {
      tally.took(action);
    }
    return answer;
  }

  private Answer<Observation> effect(Action action) {
    return switch (action) {
      case Action.OnHost(HostOperation operation) -> onHost(operation);
      case Action.ReportNode report -> reportNode(report);
      case Action.Cordon cordon -> cordon(cordon);
      case Action.DeleteNode delete -> deleteNode(delete);
      case Action.PublishStatus(PoolId pool, PoolStatus status) -> publish(pool, status);
      case Action.ConfirmEmpty(PoolId pool) -> confirmEmpty(pool);
    };
  }

  /** Tells a notice, or brings the one that was told before up to date. */
  public void tell(Notice notice) {
    String name = notice.regarding().uid() + "/" + notice.reason().word() + "/" + notice.occasion();
    EventRecord before = events.get(name);
    events.put(name, new EventRecord(notice, before == null ? 1 : before.told() + 1));
  }

  private Answer<Observation> onHost(HostOperation operation) {
    Host host = hosts.get(operation.host().name());
    if (host == null || !host.id().equals(operation.host())) {
      return new Answer.Missing<>();
    }
    return switch (operation) {
      case HostOperation.Assign assign -> assign(host, assign);
      case HostOperation.Cancel cancel ->
          holds(host, cancel.tenancy(), cancel.pool()) && host.report().phase() == HostPhase.FREE
              ? done(
                  Changed.tenant(
                      host, ++version, host.tenancy(), Optional.empty(), "", Host.Power.ON))
              : new Answer.Refused<>("not held, or it runs already");
      case HostOperation.Stop stop ->
          holds(host, stop.tenancy(), stop.pool()) && host.power() == Host.Power.ON
              ? done(
                  Changed.tenant(
                      host,
                      ++version,
                      host.tenancy(),
                      host.assignment(),
                      host.configuration(),
                      Host.Power.OFF))
              : new Answer.Refused<>("not held, or off already");
      case HostOperation.Release release ->
          holds(host, release.tenancy(), release.pool()) && host.power() == Host.Power.OFF
              ? done(
                  Changed.tenant(
                      host, ++version, host.tenancy(), Optional.empty(), "", Host.Power.ON))
              : new Answer.Refused<>("not held, or not stopped");
    };
  }

  private Answer<Observation> assign(Host host, HostOperation.Assign assign) {
    if (host.assignment().isPresent() && host.assignment().get().operation().equals(assign.id())) {
      return new Answer.Done<>(new Observation.HostSeen(host));
    }
    if (!host.isFree() || host.tenancy() != assign.tenancyBefore()) {
      return new Answer.Refused<>("it is not free in tenancy " + assign.tenancyBefore());
    }
    return done(
        Changed.tenant(
            host,
            ++version,
            host.tenancy() + 1,
            Optional.of(assign.assignment()),
            assign.configuration(),
            Host.Power.ON));
  }

  private static boolean holds(Host host, int tenancy, PoolId pool) {
    return host.tenancy() == tenancy && host.isHeldBy(pool.uid());
  }

  private Answer<Observation> done(Host host) {
    return new Answer.Done<>(new Observation.HostSeen(put(host)));
  }

  private Answer<Observation> reportNode(Action.ReportNode report) {
    Node node = nodes.get(report.node());
    if (node == null || !node.uid().equals(report.nodeUid())) {
      return new Answer.Missing<>();
    }
    Node next =
        Changed.node(
            node,
            ++version,
            node.registered() || report.register(),
            Optional.of(report.activity()),
            node.cordoned());
    return new Answer.Done<>(new Observation.NodeSeen(put(next)));
  }

  private Answer<Observation> cordon(Action.Cordon cordon) {
    Node node = nodes.get(cordon.node());
    if (node == null || !node.uid().equals(cordon.nodeUid())) {
      return new Answer.Missing<>();
    }
    if (node.cordoned()) {
      return new Answer.Refused<>("it is cordoned already");
    }
    Node next = Changed.node(node, ++version, node.registered(), node.activity(), true);
    return new Answer.Done<>(new Observation.NodeSeen(put(next)));
  }

  private Answer<Observation> deleteNode(Action.DeleteNode delete) {
    Node node = nodes.get(delete.node());
    if (node == null) {
      return new Answer.Done<>(new Observation.NodeGone(delete.node(), delete.nodeUid(), version));
    }
    if (!node.uid().equals(delete.nodeUid())) {
      return new Answer.Refused<>("another Node has the name now");
    }
    removeNode(node);
    return new Answer.Done<>(new Observation.NodeGone(node.name(), node.uid(), version));
  }

  private Answer<Observation> publish(PoolId id, PoolStatus status) {
    Pool pool = pools.get(id.name());
    if (pool == null || !pool.id().equals(id)) {
      return new Answer.Missing<>();
    }
    if (pool.status().equals(status)) {
      tally.empty();
    }
    return new Answer.Done<>(
        new Observation.PoolSeen(put(Changed.status(pool, ++version, status))));
  }

  private Answer<Observation> confirmEmpty(PoolId pool) {
    boolean held = hosts.values().stream().anyMatch(host -> host.isHeldBy(pool.uid()));
    boolean joined = nodes.values().stream().anyMatch(node -> node.poolUid().equals(pool.uid()));
    return held || joined
        ? new Answer.Refused<>("something of it is left")
        : new Answer.Done<>(new Observation.PoolFoundEmpty(pool));
  }

  /** Reads an object live. */
  public Answer<Observation> read(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(HostId id) -> {
        Host host = hosts.get(id.name());
        yield new Answer.Done<>(
            host != null && host.id().equals(id)
                ? new Observation.HostSeen(host)
                : new Observation.HostGone(id, version));
      }
      case Action.Subject.OfNode(String name, String uid) -> {
        Node node = nodes.get(name);
        yield new Answer.Done<>(
            node != null && node.uid().equals(uid)
                ? new Observation.NodeSeen(node)
                : new Observation.NodeGone(name, uid, version));
      }
      case Action.Subject.OfPool(PoolId id) -> {
        Pool pool = pools.get(id.name());
        yield new Answer.Done<>(
            pool != null && pool.id().equals(id)
                ? new Observation.PoolSeen(pool)
                : new Observation.PoolGone(id, version));
      }
    };
  }

  /**
   * Puts our finalizer on a pool, or takes it off; an unguarded pool whose deletion was asked for
   * goes at once.
   */
  public void setGuard(PoolId id, boolean guarded) {
    Pool pool = pools.get(id.name());
    if (pool == null || !pool.id().equals(id) || pool.guarded() == guarded) {
      return;
    }
    if (!guarded && pool.isLeaving()) {
      removePool(pool);
    } else if (!pool.isLeaving()) {
      put(Changed.guard(pool, ++version, guarded));
    }
  }

  // What machines do.

  /**
   * Carries out what a machine or its kubelet does; what no longer fits is refused silently, as the
   * machine looks again.
   */
  public void apply(FleetAction action, Instant now) {
    switch (action) {
      case FleetAction.ReportHost(Host seen, Host.Report report) -> {
        Host host = hosts.get(seen.id().name());
        if (host != null
            && host.tenancy() == seen.tenancy()
            && holder(host).equals(holder(seen))
            && host.power() == seen.power()) {
          put(Changed.report(host, ++version, report));
        }
      }
      case FleetAction.JoinNode(Host seen) -> join(seen, now);
      case FleetAction.StartPod(String _, String _, String uid) -> {
        Pod pod = pods.get(uid);
        if (pod != null) {
          put(Changed.pod(pod, ++version, true, pod.deletedAt()));
        }
      }
      case FleetAction.EndPod(String _, String _, String uid) -> removePod(uid);
    }
  }

  private static Optional<String> holder(Host host) {
    return host.assignment().map(assignment -> assignment.pool().uid());
  }

  private void join(Host seen, Instant now) {
    if (nodes.containsKey(seen.id().name())) {
      return;
    }
    Assignment assignment = seen.assignment().orElseThrow();
    tally.joined();
    put(
        new Node(
            seen.id().name(),
            "node-uid-" + ++uids,
            ++version,
            seen.id().uid(),
            seen.tenancy(),
            assignment.pool().uid(),
            now,
            true,
            false,
            Optional.empty(),
            false));
  }

  private Pool put(Pool pool) {
    pools.put(pool.id().name(), pool);
    tell(Kind.POOLS, new Observation.PoolSeen(pool));
    return pool;
  }

  private void removePool(Pool pool) {
    pools.remove(pool.id().name());
    tally.poolGone();
    tell(Kind.POOLS, new Observation.PoolGone(pool.id(), ++version));
  }

  private Host put(Host host) {
    hosts.put(host.id().name(), host);
    tell(Kind.HOSTS, new Observation.HostSeen(host));
    return host;
  }

  private Node put(Node node) {
    nodes.put(node.name(), node);
    tell(Kind.NODES, new Observation.NodeSeen(node));
    return node;
  }

  private void removeNode(Node node) {
    nodes.remove(node.name());
    tell(Kind.NODES, new Observation.NodeGone(node.name(), node.uid(), ++version));
    List<String> bound =
        pods.values().stream()
            .filter(pod -> pod.nodeName().equals(node.name()))
            .map(Pod::uid)
            .toList();
    bound.forEach(this::removePod);
  }

  private void put(Pod pod) {
    pods.put(pod.uid(), pod);
    tell(Kind.PODS, new Observation.PodSeen(pod));
  }

  private void removePod(String uid) {
    Pod pod = pods.remove(uid);
    if (pod != null) {
      tell(Kind.PODS, new Observation.PodGone(pod.nodeName(), uid, ++version));
    }
  }

  // What can be looked at.

  /** The pool of this name. */
  public Optional<Pool> pool(String name) {
    return Optional.ofNullable(pools.get(name));
  }

  /** All Hosts, by name. */
  public SortedMap<String, Host> hosts() {
    return Collections.unmodifiableSortedMap(hosts);
  }

  /** All Nodes, by name. */
  public SortedMap<String, Node> nodes() {
    return Collections.unmodifiableSortedMap(nodes);
  }

  /** All Pods, by UID. */
  public SortedMap<String, Pod> pods() {
    return Collections.unmodifiableSortedMap(pods);
  }

  /** All pools, by name. */
  public SortedMap<String, Pool> pools() {
    return Collections.unmodifiableSortedMap(pools);
  }

  /** All events, by what makes them one. */
  public SortedMap<String, EventRecord> events() {
    return Collections.unmodifiableSortedMap(events);
  }
}
