package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.JoinedNode;
import io.nodepool.simulated.LocalTimes;
import io.nodepool.simulated.MachineLife;
import io.nodepool.simulated.Next;
import io.nodepool.simulated.OnDemandQueue;
import io.nodepool.simulated.PodLife;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.simulated.Reclaims;
import io.nodepool.simulated.Reclaims.ReclaimRequest;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.KeyTimers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the simulated data centre in the virtual world: decides by its observations, and writes
 * shortly afterwards.
 */
final class SimulatedFleetRunner {
  private final WorldCluster cluster;

  /** The key to determine which machines on-demand pools need; no object has this name. */
  private static final String ON_DEMAND = "on demand";

  /** The key to publish releases whose time has come; no object has this name. */
  private static final String RELEASES = "releases";

  private DataCentre dataCentre;
  private MachineLife machines;

  /** The scripted mishaps of reboots, as last observed. */
  private List<RebootMishaps.Scripted> rebootScript = List.of();

  /** The configurations into which boots go wrong, as last observed. */
  private List<BrokenConfiguration> broken = List.of();

  private final Reclaims reclaims;

  /** Names of the Hosts that on-demand pools need. */
  private Set<String> needed = Set.of();

  /** Names of Nodes whose kubelet does not answer: their Pods neither start nor end. */
  private final Set<String> silent = new HashSet<>();

  /** Names of Hosts and UIDs of Pods to reconcile. */
  final Set<String> due = new LinkedHashSet<>();

  final KeyTimers<String> alarms = new KeyTimers<>();

  /** Hosts as last reconciled, with times of the data centre's own clock. */
  private final Map<String, Host> hosts = new HashMap<>();

  /** Writes that were decided on and have not taken effect, by object: at most one for each. */
  final Map<String, FleetAction> sent = new LinkedHashMap<>();

  /** The instants before which writes in {@link #sent} do not take effect, by object. */
  private final Map<String, Instant> held = new LinkedHashMap<>();

  private final FaultyReports faulty;

  SimulatedFleetRunner(WorldCluster cluster, DataCentre dataCentre, FaultyReports faulty) {
    this.cluster = cluster;
    this.faulty = faulty;
    this.dataCentre = dataCentre;
    this.machines = new MachineLife(dataCentre, this::localHosts);
    this.reclaims = new Reclaims(dataCentre, World.START);
    due.addAll(cluster.hosts().keySet());
    if (!dataCentre.terms().schedule().isEmpty()) {
      due.add(RELEASES);
    }
    cluster.watch(
        this::see,
        WorldCluster.Kind.HOSTS,
        WorldCluster.Kind.POOLS,
        WorldCluster.Kind.NODES,
        WorldCluster.Kind.PODS);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.HostSeen(Host host) -> {
        due.add(host.id().name());
        queueChanged();
      }
      case Observation.PoolSeen _, Observation.PoolGone _ -> queueChanged();
      case Observation.HostUnreadable(var host, long _, String _, String _) -> due.add(host.name());
      case Observation.NodeSeen(Node node) -> {
        if (node.ready() && silent.remove(node.name())) {
          podsOf(node.name()).forEach(due::add);
        } else if (!node.ready()) {
          silent.add(node.name());
        }
        if (isOutOfStep(node)) {
          due.add(node.name());
        }
      }
      case Observation.NodeGone(String name, String _, long _) -> {
        silent.remove(name);
        due.add(name);
      }
      case Observation.PodSeen(Pod pod) -> due.add(pod.uid());
      case Observation.HostGone _,
          Observation.PodGone _,
          Observation.PoolUnreadable _,
          Observation.NodeUnreadable _,
          Observation.PoolFoundEmpty _,
          Observation.PodsListed _,
          Observation.MachineRead _,
          Observation.RequestTimed _,
          Observation.JobSeen _,
          Observation.Announced _,
          Observation.EvictionTried _,
          Observation.OfHealth _,
          Observation.NamespaceSeen _,
          Observation.NamespaceAuthored _,
          Observation.NamespaceGone _,
          Observation.OfferSeen _,
          Observation.ApiServerSeen _,
          Observation.HostsDefined _,
          Observation.OfferLost _ -> {}
    }
  }

  private void queueChanged() {
    if (cluster.fleetOwner().reclaimsForOnDemand()) {
      due.add(ON_DEMAND);
    }
  }

  /** Publishes the releases whose time has come; releases of a test stay behind them. */
  private void checkReleases(Instant now) {
    Duration age = Duration.between(World.START, now);
    DataCentre.Terms terms = dataCentre.terms();
    List<FleetRelease> next =
        Stream.concat(
                terms.published(age).stream(),
                cluster.offer().releases().stream()
                    .filter(each -> !terms.releases().contains(each)))
            .toList();
    if (!next.equals(cluster.offer().releases())) {
      cluster.fleetOwner().offer(cluster.offer().withReleases(next));
    }
    terms.nextPublication(age).ifPresent(at -> alarms.put(RELEASES, World.START.plus(at)));
  }

  private void checkQueue() {
    Set<String> next = OnDemandQueue.needed(cluster.pools().values(), cluster.hosts().values());
    Stream.concat(next.stream(), needed.stream())
        .filter(name -> next.contains(name) != needed.contains(name))
        .forEach(due::add);
    needed = next;
  }

  private Stream<String> podsOf(String node) {
    return cluster.workloads().boundTo(node).stream().map(Pod::uid);
  }

  /** Reconciles a machine or Pod. */
  void reconcile(String key, Instant now) {
    due.remove(key);
    alarms.remove(key);
    if (key.equals(ON_DEMAND)) {
      checkQueue();
      return;
    }
    if (key.equals(RELEASES)) {
      checkReleases(now);
      return;
    }
    if (sent.containsKey(key)) {
      Optional.ofNullable(held.get(key)).ifPresent(until -> alarms.put(key, until));
      return;
    }
    Next next = next(key, now.plus(faulty.clock()));
    next.wakeup().ifPresent(at -> alarms.put(key, at.minus(faulty.clock())));
    next.action().ifPresent(action -> sent.put(key, action));
  }

  /** Whether a machine that no pool holds is being cleaned, and is free once that ends. */
  boolean isCleaning() {
    return cluster.hosts().values().stream()
        .anyMatch(host ->
            host.assignment().isEmpty()
                && host.report().phase() == HostPhase.CLEANING
                && alarms.has(host.id().name()));
  }

  /**
   * Whether the Node's kubelet runs: as long as its machine does. Some Nodes have no machine of the
   * fleet.
   */
  private boolean runs(String node) {
    Host host = cluster.hosts().get(node);
    return host == null || (host.is(HostPhase.RUNNING) && host.report().boot().cycle().isEmpty());
  }

  /** Whether the Node does not yet show the reboot or the boot id of its machine. */
  private boolean isOutOfStep(Node node) {
    Host host = cluster.hosts().get(node.name());
    return host != null
        && host.is(HostPhase.RUNNING)
        && (!node.status().bootId().equals(host.report().bootId())
            || (node.ready() && host.report().boot().cycle().isPresent()));
  }

  private MachineLife machines() {
    List<RebootMishaps.Scripted> script = cluster.fleetOwner().rebootScript();
    List<BrokenConfiguration> alsoBroken = cluster.fleetOwner().brokenConfigurations();
    if (!script.equals(rebootScript) || !alsoBroken.equals(broken)) {
      rebootScript = script;
      broken = alsoBroken;
      machines = newMachines();
    }
    return machines;
  }

  private MachineLife newMachines() {
    DataCentre.Mishaps described = dataCentre.mishaps();
    List<RebootMishaps.Scripted> all =
        Stream.concat(rebootScript.stream(), described.reboots().script().stream()).toList();
    return new MachineLife(
        dataCentre.withMishaps(
            described
                .withReboots(described.reboots().withScript(all))
                .withConfigurations(
                    Stream.concat(broken.stream(), described.configurations().stream()).toList())),
        this::localHosts);
  }

  /** All Hosts, as far as possible with times of the data centre's own clock. */
  private Stream<Host> localHosts() {
    return cluster.hosts().values().stream()
        .map(host -> {
          Host last = hosts.get(host.id().name());
          return last != null && last.version() == host.version() ? last : host;
        });
  }

  private Next next(String key, Instant now) {
    Host host = cluster.hosts().get(key);
    if (host != null) {
      Host local = LocalTimes.of(host, Optional.ofNullable(hosts.get(key)), now);
      hosts.put(key, local);
      Reclaims.Wish wish =
          new Reclaims.Wish(
              host.report().spot().offered(), new ReclaimRequest.None(), needed.contains(key));
      Optional<JoinedNode> node = cluster.node(key).map(each -> JoinedNode.of(each, host));
      return reclaims.next(machines(), local, node, wish, now);
    }
    return Optional.ofNullable(cluster.pods().get(key))
        .filter(pod -> !silent.contains(pod.nodeName()) && runs(pod.nodeName()))
        .filter(pod -> !(pod.deletedAt().isPresent() && cluster.workloads().isEndless(key)))
        .map(pod -> PodLife.next(pod, Optional.empty(), now))
        .orElse(Next.NOTHING);
  }

  /** Lets a write take effect, and reconciles again, unless its answer is lost. */
  void effect(String key, Instant now) {
    FleetAction action = sent.remove(key);
    if (action == null || held.remove(key) != null) {
      apply(key, action, now);
      podsOf(key).forEach(due::add);
      return;
    }
    FaultyReports.FaultyReport report = faulty.reported(action);
    if (report.later().isPresent()) {
      report.now().ifPresent(first -> cluster.apply(first, now));
      report.later().ifPresent(later -> hold(key, later, now.plus(report.delay())));
    } else if (report.now().isPresent()) {
      apply(key, report.now().get(), now);
    }
  }

  private void apply(String key, @Nullable FleetAction action, Instant now) {
    if (action != null) {
      cluster.apply(action, now);
      if (cluster.fleetOwner().losesFleetAnswer(key)) {
        sent.put(key, action);
        return;
      }
    }
    due.add(key);
  }

  private void hold(String key, FleetAction action, Instant until) {
    sent.put(key, action);
    held.put(key, until);
    alarms.put(key, until);
  }

  /** From now on, the durations of the machines' actions differ for each number. */
  void fork(int number) {
    dataCentre = dataCentre.withSeed(dataCentre.seed() + number);
    machines = newMachines();
    due.addAll(cluster.hosts().keySet());
  }

  /** From now on the fleet has these faults; writes that they hold back take effect soon. */
  void set(FleetFaults faults) {
    faulty.set(faults);
    held.clear();
    due.addAll(cluster.hosts().keySet());
  }

  /** Adds the steps that are possible now: the first machine or Pod that is due, and writes. */
  void addChoices(Choices choices, Instant now) {
    if (!due.isEmpty()) {
      choices.add(() -> reconcile(due.iterator().next(), now));
    }
    choices.add(
        sent.keySet(), key -> !held.getOrDefault(key, now).isAfter(now), key -> effect(key, now));
  }
}
