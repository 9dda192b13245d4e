package io.nodepool.world.check.chronicle;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldJobs;
import io.nodepool.world.cluster.WorldPods;
import io.nodepool.world.operator.Leaderships;
import io.nodepool.world.operator.WatchStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the objects of the world were at each moment of the run: an operator speaks of what it has
 * observed, which may have changed since.
 */
public final class Chronicle {
  /** After how long without a heartbeat a monitor is silent. */
  private static final Duration SILENCE = Duration.ofHours(12);

  /** How long a live list of Pods is used at most while the write that needs it fails. */
  private static final Duration LIST_VALID = Duration.ofMinutes(10);

  private final WorldCluster cluster;
  private final Leaderships leaderships;
  private final InstantSource clock;
  private final Map<String, ObjectTrack<Node>> nodes = new HashMap<>();
  private final Map<String, ObjectTrack<Host>> hosts = new HashMap<>();

  /** Pools by name. */
  private final Map<String, ObjectTrack<Pool>> pools = new HashMap<>();

  /** Whether each Namespace belongs to the control plane. */
  private final Map<String, Track<Boolean>> controlPlane = new HashMap<>();

  /** The Pods on each Node that do not belong to it, by the Node's name. */
  private final Map<String, Track<List<Pod>>> pods = new HashMap<>();

  /** Which pool holds each machine, by name. */
  private final Map<String, Track<Membership>> memberships = new HashMap<>();

  /** When the Pods of each Node were last listed live, by the Node's UID. */
  private final Map<String, Instant> listed = new HashMap<>();

  /** What the last request was to record that would have changed a Node's disruption, by name. */
  private final Map<String, Disruption> tried = new HashMap<>();

  /** What monitors reported about each Host, by its name. */
  private final Map<String, Track<List<Signal>>> signals = new HashMap<>();

  private final ObjectTrack<FleetOffer> offer;
  private final Track<AlertCatalogue> alerts = new Track<>(AlertCatalogue.shipped());
  private final Track<Boolean> garbledAlerts = new Track<>(false);

  /** When an object could not be read last, from and until. */
  private Optional<Instant> garbledFrom = Optional.empty();

  private Instant garbledUntil = Instant.MIN;

  /**
   * A machine in a pool.
   *
   * @param poolUid the pool that holds it; empty text if none does
   * @param registered whether its Node is registered, or the one that a deleted Host left behind
   */
  public record Membership(String poolUid, boolean registered) {
    static final Membership NONE = new Membership("", false);
  }

  /** Records what happens in a cluster from now on. */
  public Chronicle(WorldCluster cluster, Leaderships leaderships, InstantSource clock) {
    this.cluster = cluster;
    this.leaderships = leaderships;
    this.clock = clock;
    this.offer = new ObjectTrack<>(Optional.of(cluster.offer()));
    cluster.hosts().forEach((name, host) -> hosts.put(name, new ObjectTrack<>(Optional.of(host))));
    cluster.watch(this::see, WorldCluster.Kind.values());
  }

  /** When a process of the operator led. */
  public Leaderships leaderships() {
    return leaderships;
  }

  private void see(Observation seen) {
    noteGarbled();
    switch (seen) {
      case Observation.NodeSeen _, Observation.NodeGone _, Observation.NodeUnreadable _ ->
          seeNode(WatchStream.name(seen));
      case Observation.HostSeen _, Observation.HostGone _, Observation.HostUnreadable _ ->
          seeHost(WatchStream.name(seen));
      case Observation.PoolSeen _, Observation.PoolGone _, Observation.PoolUnreadable _ ->
          note(pools, WatchStream.name(seen), cluster.pool(WatchStream.name(seen)));
      case Observation.SignalsSeen(var next) -> seeSignals(next.host());
      case Observation.SignalsGone(String host, String _, long _) -> seeSignals(host);
      case Observation.PodSeen(var pod) -> seePods(pod.nodeName());
      case Observation.PodGone(String node, String _, long _) -> seePods(node);
      case Observation.NamespaceSeen(var namespace) -> seeNamespace(namespace);
      case Observation.OfferSeen(var next) -> offer.add(clock.instant(), Optional.of(next));
      // Without Hosts the offer is of no use.
      case Observation.HostsDefined(var missing) ->
          offer.add(
              clock.instant(), missing.isEmpty() ? Optional.of(cluster.offer()) : Optional.empty());
      case Observation.OfferLost _ -> offer.add(clock.instant(), Optional.empty());
      case Observation.CatalogueSeen(var next) -> {
        alerts.add(clock.instant(), next);
        garbledAlerts.add(clock.instant(), false);
      }
      case Observation.CatalogueRefused _ -> garbledAlerts.add(clock.instant(), true);
      case Observation.SourceSeen _, Observation.SourceGone _ -> {}
      case Observation.PoolFoundEmpty _,
          Observation.PodsListed _,
          Observation.MachineRead _,
          Observation.RequestTimed _,
          Observation.JobSeen _,
          Observation.Announced _,
          Observation.EvictionTried _,
          Observation.NamespaceAuthored _,
          Observation.NamespaceGone _,
          Observation.ApiServerSeen _ -> {}
    }
  }

  /** The alert catalogue as its user changed it last without a mistake. */
  public Track<AlertCatalogue> alerts() {
    return alerts;
  }

  /** Whether there is a mistake in the user's changes of the alert catalogue. */
  public Track<Boolean> garbledAlerts() {
    return garbledAlerts;
  }

  private void seeSignals(String host) {
    signals
        .computeIfAbsent(host, _ -> new Track<>(List.of()))
        .add(clock.instant(), cluster.signals().about(host));
  }

  /** What monitors reported about the Host of this name. */
  public Track<List<Signal>> signals(String host) {
    return signals.getOrDefault(host, new Track<>(List.of()));
  }

  /**
   * Whether monitors or its fleet reported about this Host since then that such a signal stands,
   * which were not silent then.
   */
  public boolean wasReported(String host, Instant from, Predicate<Signal> which) {
    return stood(host, from, which.and(signal -> !isStale(signal, from)));
  }

  /** Whether such a signal stood about this Host, also by the word of a source that fell silent. */
  public boolean stood(String host, Instant from, Predicate<Signal> which) {
    Predicate<Signal> standing = which.and(Signal::stands);
    return signals(host).ever(from, all -> all.stream().anyMatch(standing))
        || host(host)
            .ever(
                from,
                each ->
                    each.stream().flatMap(h -> h.report().signals().stream()).anyMatch(standing));
  }

  /** Whether the source of a signal was silent at this time, as far as it has to be heard of. */
  private boolean isStale(Signal signal, Instant at) {
    return signal
        .reported()
        .filter(reported ->
            Stream.concat(
                    Stream.of(reported),
                    cluster.signals().heartbeat(signal.key().source()).stream())
                .noneMatch(heard -> heard.plus(SILENCE).isAfter(at)))
        .isPresent();
  }

  /** When such a signal was first reported about this Host; empty if it never was. */
  public Optional<Instant> firstReported(String host, Predicate<Signal> which) {
    Predicate<Signal> standing = which.and(Signal::stands);
    return Stream.concat(
            signals(host).first(all -> all.stream().anyMatch(standing)).stream(),
            host(host)
                .first(each ->
                    each.stream().flatMap(h -> h.report().signals().stream()).anyMatch(standing))
                .stream())
        .min(Instant::compareTo);
  }

  private void noteGarbled() {
    if (cluster.isAnyGarbled()) {
      garbledFrom = garbledFrom.or(() -> Optional.of(clock.instant()));
      garbledUntil = Instant.MAX;
    } else if (garbledUntil.equals(Instant.MAX)) {
      garbledUntil = clock.instant();
    }
  }

  private void seeNode(String name) {
    note(nodes, name, cluster.node(name));
    count(name);
  }

  private void seeHost(String name) {
    note(hosts, name, cluster.host(name));
    count(name);
  }

  private <T> void note(Map<String, ObjectTrack<T>> tracks, String name, Optional<T> object) {
    tracks.computeIfAbsent(name, _ -> ObjectTrack.none()).add(clock.instant(), object);
  }

  /** Counts a machine and its Node as those of the pool that holds it. */
  private void count(String name) {
    Host host = cluster.hosts().get(name);
    Node node = cluster.nodes().get(name);
    String holder = host == null ? "" : host.serving().map(PoolId::uid).orElse("");
    boolean own = host != null && node != null && node.isOf(host);
    boolean counts = node != null && node.registered() && own != holder.isEmpty();
    Membership next = new Membership(holder, counts);
    memberships.computeIfAbsent(name, _ -> new Track<>(Membership.NONE)).add(clock.instant(), next);
  }

  private void seePods(String node) {
    List<Pod> bound =
        cluster.workloads().boundTo(node).stream().filter(pod -> !WorldPods.isOfNode(pod)).toList();
    pods.computeIfAbsent(node, _ -> new Track<>(List.of())).add(clock.instant(), bound);
  }

  private void seeNamespace(Namespace namespace) {
    controlPlane
        .computeIfAbsent(namespace.name(), _ -> new Track<>(false))
        .add(
            clock.instant(),
            namespace.organization().filter(NamespaceLabels.CONTROL_PLANE::equals).isPresent());
  }

  /** Whether the Namespace of this name belongs to the control plane. */
  public Track<Boolean> controlPlane(String namespace) {
    return ControlPlaneNamespaces.DEFAULTS.names().contains(namespace)
        ? new Track<>(true)
        : controlPlane.getOrDefault(namespace, new Track<>(false));
  }

  /** The Pods of the Node with this UID are listed live now. */
  public void list(String nodeUid) {
    listed.put(nodeUid, clock.instant());
  }

  /**
   * A request that is to record this disruption of the Node is tried, whether it arrives or not.
   */
  public void tried(String node, Disruption next) {
    tried.put(node, next);
  }

  /** What the last request about the record of the Node's disruption was to write. */
  public Optional<Disruption> tried(String node) {
    return Optional.ofNullable(tried.get(node));
  }

  /** When the Pods of a Node were last listed live, if a decision may still be based on that. */
  public Instant listed(String nodeUid) {
    Instant last = listed.getOrDefault(nodeUid, clock.instant());
    return last.plus(LIST_VALID).isBefore(clock.instant()) ? clock.instant() : last;
  }

  /** Virtual time. */
  public Instant now() {
    return clock.instant();
  }

  /**
   * Since when something may be known at the latest that was known at this instant: nobody knows
   * what an object is that cannot be read.
   */
  public Instant known(Instant since) {
    return garbledFrom
        .filter(from -> from.isBefore(since) && !garbledUntil.isBefore(since))
        .orElse(since);
  }

  /** The Node of this name. */
  public ObjectTrack<Node> node(String name) {
    return nodes.getOrDefault(name, ObjectTrack.none());
  }

  /** The Host of this name. */
  public ObjectTrack<Host> host(String name) {
    return hosts.getOrDefault(name, ObjectTrack.none());
  }

  /** Whether the Host of this name, or its Node, cannot be read now. */
  public boolean isUnreadable(String machine) {
    return cluster.isGarbled(WorldCluster.Kind.HOSTS, machine)
        || cluster.isGarbled(WorldCluster.Kind.NODES, machine);
  }

  /** The names of all Hosts that there ever were. */
  public Set<String> hostNames() {
    return hosts.keySet();
  }

  /** Whether tenants cannot use a machine with the Node that it joined as, which may be missing. */
  public static boolean isOutOfUse(Host host, Optional<Node> node) {
    return node.filter(Node::isAvailable).isEmpty()
        || !host.is(HostPhase.RUNNING)
        || host.isRebooting();
  }

  /**
   * Whether tenants cannot use such a machine, or cannot soon: it is switched off, or its fleet
   * takes it back, which a pool with machines of its own does not heed.
   */
  public static boolean isUnavailable(Host host, Optional<Node> node) {
    return isOutOfUse(host, node) || host.power() == Host.Power.OFF || host.reclaim().isPresent();
  }

  /** The pool of this name. */
  public ObjectTrack<Pool> pool(String name) {
    return pools.getOrDefault(name, ObjectTrack.none());
  }

  public Track<List<Pod>> pods(String node) {
    return pods.getOrDefault(node, new Track<>(List.of()));
  }

  /** Which pool holds each machine. */
  public Collection<Track<Membership>> memberships() {
    return memberships.values();
  }

  public ObjectTrack<FleetOffer> offer() {
    return offer;
  }

  /** The Jobs that verify machines, by name. */
  public SortedMap<String, WorldJobs.CreatedJob> jobs() {
    return cluster.jobs().all();
  }

  /** Whether the last Job failed that was to verify the machine of this Node. */
  public boolean isJobFailed(String node) {
    return jobs().values().stream()
        .filter(job -> job.node().equals(node))
        .max(Comparator.comparing(WorldJobs.CreatedJob::at))
        .filter(job -> job.isFailed(clock.instant()))
        .isPresent();
  }

  /** The Hosts as they are now, by name. */
  public SortedMap<String, Host> hosts() {
    return cluster.hosts();
  }

  /** What became of the rollouts of pools. */
  public RolloutHistory rollouts() {
    return new RolloutHistory(this);
  }

  /** The pools, by name. */
  public Collection<ObjectTrack<Pool>> pools() {
    return pools.values();
  }

  /** The pools with this UID, by any name. */
  public Stream<ObjectTrack<Pool>> pools(String uid) {
    return pools.values().stream().filter(each -> each.was(p -> p.id().uid().equals(uid)));
  }
}
