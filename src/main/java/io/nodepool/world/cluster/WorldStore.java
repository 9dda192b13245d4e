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
import java.util.HashMap;
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

  /** Keeps new UIDs apart from the UIDs of another world's objects. */
  private static final long FIRST_UID_OF_TAKEN = 1_000_000;

  final SortedMap<String, Pool> pools = new TreeMap<>();
  final SortedMap<String, Host> hosts = new TreeMap<>();
  final SortedMap<String, Node> nodes = new TreeMap<>();
  final SortedMap<String, Namespace> namespaces = new TreeMap<>();
  final SortedMap<String, Pod> pods = new TreeMap<>();

  /** The Pods by the name of their Node. */
  private final Map<String, SortedMap<String, Pod>> podsByNode = new HashMap<>();

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

  /** Objects of another cluster that could not be read there. */
  private final Map<WorldCluster.Kind, List<Observation>> unreadable =
      new EnumMap<>(WorldCluster.Kind.class);

  /** Kinds and names of objects that cannot be read. */
  private final Set<String> garbled = new HashSet<>();

  /** The checks of an object before it is stored. */
  ObjectValidation validation = ObjectValidation.NONE;

  /** Whether a Host may change its holder without being free in between. */
  boolean secondHoldersAreAdmitted;

  /** Whether the data centre reclaims machines that on-demand pools wait for. */
  boolean reclaimsForOnDemand;

  /** The reboots that go wrong. */
  final List<RebootMishaps.Scripted> rebootScript = new ArrayList<>();

  /** Configurations into which boots go wrong. */
  final List<BrokenConfiguration> broken = new ArrayList<>();

  /** Names of Hosts about which the answer to the fleet's next write is lost. */
  final Set<String> lostFleetAnswers = new HashSet<>();

  /** UIDs of Nodes whose record of a removal or reboot a client removed. */
  final Set<String> stripped = new HashSet<>();

  private final InstantSource clock;
  private long version;
  private long uids;

  /** Who set the fields of Nodes, and when. */
  final WorldFieldTimes fieldTimes;

  /** The user's changes of the alerts, or why they cannot be read; empty if there are none. */
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

  /** Sets why the definition of Hosts is missing; empty if it exists. */
  void define(Optional<String> missing) {
    undefined = missing;
    publish(WorldCluster.Kind.OFFER, new Observation.HostsDefined(missing));
  }

  void loseOffer(String why) {
    lost = Optional.of(why);
    publish(WorldCluster.Kind.OFFER, offerSeen());
  }

  /** Sets the user's changes of the alerts, as watchers read them. */
  void alerts(Observation.OfHealth next) {
    alerts = Optional.of(next);
    publish(WorldCluster.Kind.OFFER, next);
  }

  private Observation offerSeen() {
    return lost.<Observation>map(Observation.OfferLost::new)
        .orElseGet(() -> new Observation.OfferSeen(offer));
  }

  /**
   * Takes over objects that were listed in another cluster. New UIDs differ from theirs, and new
   * versions are later.
   */
  void take(List<Observation> listed) {
    version = Math.max(version, listed.stream().mapToLong(WorldStore::version).max().orElse(0));
    uids += FIRST_UID_OF_TAKEN;
    if (listed.stream().noneMatch(Observation.OfferSeen.class::isInstance)) {
      loseOffer("it was not listed");
    }
    // Nodes come first, since a Host whose machine does not run silences its Node.
    listed.stream().filter(Observation.NodeSeen.class::isInstance).forEach(this::take);
    listed.stream().filter(each -> !(each instanceof Observation.NodeSeen)).forEach(this::take);
  }

  private static long version(Observation listed) {
    return switch (listed) {
      case Observation.PoolSeen(Pool pool) -> pool.version();
      case Observation.HostSeen(Host host) -> host.version();
      case Observation.NodeSeen(Node node) -> node.version();
      case Observation.PodSeen(Pod pod) -> pod.version();
      case Observation.NamespaceSeen(Namespace namespace) -> namespace.version();
      case Observation.SignalsSeen(HostSignals about) -> about.version();
      case Observation.SourceSeen(SignalSource source) -> source.version();
      case Observation.PoolUnreadable each -> each.version();
      case Observation.HostUnreadable each -> each.version();
      case Observation.NodeUnreadable each -> each.version();
      default -> 0;
    };
  }

  private void take(Observation listed) {
    switch (listed) {
      case Observation.PoolSeen(Pool pool) -> put(pool);
      case Observation.HostSeen(Host host) -> put(host);
      case Observation.NodeSeen(Node node) -> put(node);
      case Observation.PodSeen(Pod pod) -> put(pod);
      case Observation.NamespaceSeen(Namespace namespace) -> put(namespace);
      case Observation.SignalsSeen(HostSignals about) -> put(about);
      case Observation.SourceSeen(SignalSource source) -> put(source);
      case Observation.OfferSeen(FleetOffer offered) -> put(offered);
      case Observation.OfferLost(String why) -> loseOffer(why);
      case Observation.CatalogueSeen seen -> alerts(seen);
      case Observation.CatalogueRefused refused -> alerts(refused);
      case Observation.RequestTimed(String _, String uid, long _, var times) ->
          fieldTimes.take(uid, times);
      case Observation.PoolUnreadable each -> unreadable(WorldCluster.Kind.POOLS, each);
      case Observation.HostUnreadable each -> unreadable(WorldCluster.Kind.HOSTS, each);
      case Observation.NodeUnreadable each -> unreadable(WorldCluster.Kind.NODES, each);
      case Observation.ApiServerSeen _ -> {
        // This world is its own API server.
      }
      default -> throw new IllegalArgumentException("no object of a list: " + listed);
    }
  }

  private void unreadable(WorldCluster.Kind kind, Observation object) {
    unreadable.computeIfAbsent(kind, _ -> new ArrayList<>()).add(object);
    publish(kind, object);
  }

  /** Lists a kind, consistently. */
  List<Observation> list(WorldCluster.Kind kind) {
    return Stream.concat(readable(kind).stream(), unreadable.getOrDefault(kind, List.of()).stream())
        .toList();
  }

  private List<Observation> readable(WorldCluster.Kind kind) {
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

  /** Deletes a Node as the API server does: with a finalizer, it only gets a deletion timestamp. */
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
    boundTo(node.name()).stream().map(Pod::uid).forEach(this::removePod);
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

  /** The Pods that are bound to the Node of this name. */
  List<Pod> boundTo(String node) {
    SortedMap<String, Pod> bound = podsByNode.get(node);
    return bound == null ? List.of() : List.copyOf(bound.values());
  }

  void put(Pod pod) {
    pods.put(pod.uid(), pod);
    podsByNode.computeIfAbsent(pod.nodeName(), _ -> new TreeMap<>()).put(pod.uid(), pod);
    publish(WorldCluster.Kind.PODS, new Observation.PodSeen(pod));
  }

  void removePod(String uid) {
    Pod pod = pods.remove(uid);
    if (pod != null) {
      podsByNode.computeIfPresent(
          pod.nodeName(),
          (_, bound) -> {
            bound.remove(uid);
            return bound.isEmpty() ? null : bound;
          });
      publish(WorldCluster.Kind.PODS, new Observation.PodGone(pod.nodeName(), uid, next()));
    }
  }
}
