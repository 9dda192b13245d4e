package io.nodepool.world.cluster;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.health.HostSignals;
import io.nodepool.health.SignalSource;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.RebootMishaps;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The objects of the virtual world, with one version counter. Every change is delivered to the
 * watchers, in order.
 */
final class WorldStore {
  private static final String UNREADABLE = "a field has an unknown value";

  final SortedMap<String, Pool> pools = new TreeMap<>();
  final SortedMap<String, Host> hosts = new TreeMap<>();
  final SortedMap<String, Node> nodes = new TreeMap<>();
  final SortedMap<String, Namespace> namespaces = new TreeMap<>();
  final SortedMap<String, Pod> pods = new TreeMap<>();

  /** What monitors report about Hosts, by their names. */
  final SortedMap<String, HostSignals> signals = new TreeMap<>();

  /** The heartbeats of monitors, by their names. */
  final SortedMap<String, SignalSource> sources = new TreeMap<>();

  /** UIDs of Nodes that have another client's finalizer. */
  final Set<String> kept = new HashSet<>();

  private final Map<WorldCluster.Kind, List<Consumer<Observation>>> watchers =
      new EnumMap<>(WorldCluster.Kind.class);
  private FleetOffer offer;
  private Optional<String> undefined = Optional.empty();
  private Optional<String> lost = Optional.empty();

  /** Kinds and names of objects that cannot be read. */
  private final Set<String> garbled = new HashSet<>();

  /** What is checked of an object before it is stored. */
  ObjectValidation validation = ObjectValidation.NONE;

  /** Whether a Host may change its holder without being free in between. */
  boolean secondHoldersAreAdmitted;

  /** Whether the data centre reclaims machines that on-demand pools wait for. */
  boolean reclaimsForOnDemand;

  /** What goes wrong with reboots. */
  final List<RebootMishaps.Scripted> rebootScript = new ArrayList<>();

  /** Configurations into which boots go wrong. */
  final List<BrokenConfiguration> broken = new ArrayList<>();

  /** Names of Hosts about which the answer to the fleet's next write is lost. */
  final Set<String> lostFleetAnswers = new HashSet<>();

  /** UIDs of Nodes of which a client removed the record of a removal or reboot. */
  final Set<String> stripped = new HashSet<>();

  private final InstantSource clock;
  private long version;
  private long uids;

  /** Who set the fields of Nodes, and when. */
  final WorldFieldTimes fieldTimes;

  /** The user's changes of the alerts as read, or that they cannot be; empty without any. */
  private Optional<Observation> alerts = Optional.empty();

  WorldStore(FleetOffer offer, InstantSource clock) {
    this.offer = offer;
    this.clock = clock;
    this.fieldTimes = new WorldFieldTimes(clock);
  }

  /** Virtual time. */
  Instant now() {
    return clock.instant();
  }

  /** The version of the next change. */
  long next() {
    return ++version;
  }

  /** The version of the last change. */
  long last() {
    return version;
  }

  /** A UID that was never used before. */
  String newUid(String kind) {
    return kind + "-uid-" + ++uids;
  }

  /** A new Host that is free and was never used. */
  Host unused(HostId id, Machine machine, Host.Spot spot, Instant now) {
    return new Host(
        id,
        next(),
        machine,
        Host.Occupancy.none(0),
        DeliveryHistory.CLEAN,
        new Host.Report(HostPhase.FREE, 0, "", "", now).withSpot(spot));
  }

  FleetOffer offer() {
    return offer;
  }

  void put(FleetOffer next) {
    offer = next;
    lost = Optional.empty();
    publish(WorldCluster.Kind.OFFER, offerSeen());
  }

  /** Sets whether the definition of Hosts is missing, with what is said about that. */
  void define(Optional<String> missing) {
    undefined = missing;
    publish(WorldCluster.Kind.OFFER, new Observation.HostsDefined(missing));
  }

  void loseOffer(String why) {
    lost = Optional.of(why);
    publish(WorldCluster.Kind.OFFER, offerSeen());
  }

  /** Sets what watchers read of the user's changes of the alerts. */
  void alerts(Observation.OfHealth next) {
    alerts = Optional.of(next);
    publish(WorldCluster.Kind.OFFER, next);
  }

  private Observation offerSeen() {
    return lost.<Observation>map(Observation.OfferLost::new)
        .orElseGet(() -> new Observation.OfferSeen(offer));
  }

  /** Lists a kind, consistently. */
  List<Observation> list(WorldCluster.Kind kind) {
    return switch (kind) {
      case POOLS -> pools.values().stream().map(this::seen).toList();
      case HOSTS -> hosts.values().stream().map(this::seen).toList();
      case NODES -> nodes.values().stream().map(this::seen).toList();
      case SIGNALS ->
          Stream.<Observation>concat(
                  signals.values().stream().map(Observation.SignalsSeen::new),
                  sources.values().stream().map(Observation.SourceSeen::new))
              .toList();
      case PODS -> pods.values().stream().<Observation>map(Observation.PodSeen::new).toList();
      case NAMESPACES ->
          namespaces.values().stream().<Observation>map(Observation.NamespaceSeen::new).toList();
      case OFFER ->
          Stream.of(
                  undefined.<Observation>map(why -> new Observation.HostsDefined(Optional.of(why))),
                  Optional.of(offerSeen()),
                  alerts)
              .flatMap(Optional::stream)
              .toList();
    };
  }

  /** Delivers each later change of a kind to the watcher. Returns how to stop it. */
  Runnable watch(WorldCluster.Kind kind, Consumer<Observation> watcher) {
    List<Consumer<Observation>> ofKind = watchers.computeIfAbsent(kind, key -> new ArrayList<>());
    ofKind.add(watcher);
    return () -> ofKind.remove(watcher);
  }

  private void publish(WorldCluster.Kind kind, Observation seen) {
    List.copyOf(watchers.getOrDefault(kind, List.of())).forEach(watcher -> watcher.accept(seen));
  }

  Pool put(Pool pool) {
    pools.put(pool.id().name(), pool);
    publish(WorldCluster.Kind.POOLS, seen(pool));
    return pool;
  }

  void removePool(Pool pool) {
    pools.remove(pool.id().name());
    garbled.remove(WorldCluster.Kind.POOLS + "/" + pool.id().name());
    publish(WorldCluster.Kind.POOLS, new Observation.PoolGone(pool.id(), next()));
  }

  Host put(Host host) {
    hosts.put(host.id().name(), host);
    publish(WorldCluster.Kind.HOSTS, seen(host));
    return host;
  }

  void removeHost(Host host) {
    hosts.remove(host.id().name());
    garbled.remove(WorldCluster.Kind.HOSTS + "/" + host.id().name());
    publish(WorldCluster.Kind.HOSTS, new Observation.HostGone(host.id(), next()));
  }

  void put(HostSignals next) {
    signals.put(next.host(), next);
    publish(WorldCluster.Kind.SIGNALS, new Observation.SignalsSeen(next));
  }

  void put(SignalSource next) {
    sources.put(next.name(), next);
    publish(WorldCluster.Kind.SIGNALS, new Observation.SourceSeen(next));
  }

  void removeSignals(String host) {
    HostSignals last = signals.remove(host);
    if (last != null) {
      publish(WorldCluster.Kind.SIGNALS, new Observation.SignalsGone(host, last.uid(), next()));
    }
  }

  Node put(Node node) {
    return put(node, "operator");
  }

  /** Stores a Node as this field manager wrote it. */
  Node put(Node node, String manager) {
    Node last = nodes.put(node.name(), node);
    if (last != null && last.uid().equals(node.uid())) {
      fieldTimes.wrote(last, node, manager);
    }
    publish(WorldCluster.Kind.NODES, seen(node));
    return node;
  }

  /** A pool as its watchers observe it. */
  Observation seen(Pool pool) {
    return isGarbled(WorldCluster.Kind.POOLS, pool.id().name())
        ? new Observation.PoolUnreadable(pool.id(), pool.version(), UNREADABLE)
        : new Observation.PoolSeen(pool);
  }

  /** A Host as its watchers observe it. */
  Observation seen(Host host) {
    return isGarbled(WorldCluster.Kind.HOSTS, host.id().name())
        ? new Observation.HostUnreadable(
            host.id(),
            host.version(),
            UNREADABLE,
            host.assignment().map(held -> held.pool().uid()).orElse(""))
        : new Observation.HostSeen(host);
  }

  /** A Node as its watchers observe it: with the part of its metadata that real watches keep. */
  Observation seen(Node node) {
    return isGarbled(WorldCluster.Kind.NODES, node.name())
        ? new Observation.NodeUnreadable(node.name(), node.uid(), node.version(), UNREADABLE)
        : new Observation.NodeSeen(node.withMetadata(node.metadata().restricted()));
  }

  /** Whether the object of this kind and name is unreadable at present. */
  boolean isGarbled(WorldCluster.Kind kind, String name) {
    return garbled.contains(kind + "/" + name);
  }

  /** Whether any object is unreadable at present. */
  boolean isAnyGarbled() {
    return !garbled.isEmpty();
  }

  /**
   * Makes a pool, Host or Node unreadable, or readable again; its watchers observe a new version.
   */
  void garble(WorldCluster.Kind kind, String name, boolean unreadable) {
    String key = kind + "/" + name;
    if (unreadable ? garbled.add(key) : garbled.remove(key)) {
      switch (kind) {
        case POOLS ->
            Optional.ofNullable(pools.get(name)).ifPresent(pool -> put(pool.withVersion(next())));
        case HOSTS ->
            Optional.ofNullable(hosts.get(name)).ifPresent(host -> put(host.withVersion(next())));
        case NODES ->
            Optional.ofNullable(nodes.get(name)).ifPresent(node -> put(node.withVersion(next())));
        case SIGNALS, PODS, NAMESPACES, OFFER ->
            throw new IllegalArgumentException(kind + " cannot be made unreadable");
      }
    }
  }

  /** Deletes a Node as the API server does: one with a finalizer only gets a deletion timestamp. */
  void delete(Node node) {
    if (!kept.contains(node.uid())) {
      removeNode(node);
    } else if (!node.deleting()) {
      Node.Finalization asked = new Node.Finalization(true, List.of());
      put(node.withVersion(next()).withFinalization(asked));
    }
  }

  private void removeNode(Node node) {
    nodes.remove(node.name());
    fieldTimes.forget(node.uid());
    kept.remove(node.uid());
    garbled.remove(WorldCluster.Kind.NODES + "/" + node.name());
    publish(WorldCluster.Kind.NODES, new Observation.NodeGone(node.name(), node.uid(), next()));
    List<String> bound =
        pods.values().stream()
            .filter(pod -> pod.nodeName().equals(node.name()))
            .map(Pod::uid)
            .toList();
    bound.forEach(this::removePod);
  }

  Namespace put(Namespace namespace) {
    namespaces.put(namespace.name(), namespace);
    publish(WorldCluster.Kind.NAMESPACES, new Observation.NamespaceSeen(namespace));
    return namespace;
  }

  /** Removes a Namespace, after its Pods. */
  void removeNamespace(Namespace namespace) {
    List<String> within =
        pods.values().stream()
            .filter(pod -> pod.namespace().equals(namespace.name()))
            .map(Pod::uid)
            .toList();
    within.forEach(this::removePod);
    namespaces.remove(namespace.name());
    publish(
        WorldCluster.Kind.NAMESPACES,
        new Observation.NamespaceGone(namespace.name(), namespace.uid(), next()));
  }

  void put(Pod pod) {
    pods.put(pod.uid(), pod);
    publish(WorldCluster.Kind.PODS, new Observation.PodSeen(pod));
  }

  void removePod(String uid) {
    Pod pod = pods.remove(uid);
    if (pod != null) {
      publish(WorldCluster.Kind.PODS, new Observation.PodGone(pod.nodeName(), uid, next()));
    }
  }
}
