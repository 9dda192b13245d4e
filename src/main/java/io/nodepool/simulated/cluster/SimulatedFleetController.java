package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.SteadyClock;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.thread.DecisionThread;
import io.nodepool.kubernetes.thread.KeyedTimers;
import io.nodepool.kubernetes.watch.WatchGroup;
import io.nodepool.simulated.cluster.document.DataCentreDocument;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The controller of one SimulatedFleet: it creates the Hosts of the described data centre,
 * publishes its offer, and simulates its machines and their kubelets. It shares nothing with the
 * operator but the API server.
 */
public final class SimulatedFleetController implements AutoCloseable {
  private static final Duration LONGEST_WORK = Duration.ofSeconds(60);

  /**
   * The settings of a simulated data centre.
   *
   * @param fleet name of the SimulatedFleet
   * @param namespace the namespace of its offer
   * @param speed the factor by which its machines are faster than described, at least 1
   * @param leases whether its kubelets renew the Leases of their Nodes; without that, most clusters
   *     mark the Nodes as not reporting within a minute
   * @param addresses whether its Nodes have an InternalIP. It is unreachable, so in a cluster with
   *     real Nodes some network plugins fail to create routes to it
   * @param meters counts its requests
   * @param wall the wall clock. The data centre's own clock is set from it at the start, and is
   *     steady from then on
   */
  public record Settings(
      String fleet,
      String namespace,
      int speed,
      boolean leases,
      boolean addresses,
      MeterRegistry meters,
      InstantSource wall) {
    public Settings {
      if (speed < 1) {
        throw new IllegalArgumentException("speed must be at least 1, not " + speed);
      }
    }

    /**
     * The settings for a local cluster, which tolerates silent kubelets for an hour and has no
     * other Nodes.
     */
    public Settings(String fleet, String namespace, int speed, InstantSource wall) {
      this(fleet, namespace, speed, false, true, new SimpleMeterRegistry(), wall);
    }
  }

  private final Settings settings;
  private final RequestMeter meter;
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final HttpApiSender sender;
  private final DecisionThread thread = new DecisionThread("data-centre");
  private final ScheduledExecutorService timers = KeyedTimers.thread("data-centre-timers");
  private final FleetLoop loop;
  private final WatchGroup watches = new WatchGroup(thread);

  private SimulatedFleetController(Config config, Settings settings) {
    this.settings = settings;
    this.meter = new RequestMeter(settings.meters());
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    InstantSource clock = new SteadyClock(settings.wall(), System::nanoTime);
    this.sender = new HttpApiSender(new ApiRequests(client, WriteGate.ALWAYS_OPEN), thread);
    this.loop =
        new FleetLoop(
            sender,
            new KeyedTimers<>(timers, thread, clock, this::reconcile),
            InstanceCatalogue.bundled(),
            settings,
            clock);
  }

  /** Starts a data centre with clients of its own; returns at once. */
  public static SimulatedFleetController start(Config config, Settings settings) {
    SimulatedFleetController controller = new SimulatedFleetController(config, settings);
    controller.watch();
    return controller;
  }

  /** The mistake in the description of a data centre, as a sentence; empty if it is valid. */
  public static Optional<String> mistake(SimulatedFleet fleet) {
    return switch (DataCentreDocument.read(fleet.getSpec(), InstanceCatalogue.bundled())) {
      case DataCentreDocument.Reading.Valid _ -> Optional.empty();
      case DataCentreDocument.Reading.Invalid(String why) -> Optional.of(why);
    };
  }

  private void watch() {
    watches.add(
        "SimulatedFleet",
        watching.resources(SimulatedFleet.class).withName(settings.fleet()),
        SimulatedFleet::new,
        loop::fleetSeen,
        _ -> loop.fleetGone());
    watches.add(
        "ConfigMap",
        watching.configMaps().inNamespace(settings.namespace()).withName(OfferDocument.NAME),
        ConfigMap::new,
        loop::offerSeen,
        _ -> loop.offerGone());
    watches.add(
        "Host",
        watching
            .resources(HostResource.class)
            .withLabel(FleetRequests.FLEET_LABEL, settings.fleet()),
        HostResource::new,
        loop::hostSeen,
        loop::hostGone);
    watches.add(
        "NodePool",
        watching.resources(NodePool.class),
        NodePool::new,
        loop::poolSeen,
        loop::poolGone);
    watches.add("Node", watching.nodes(), Node::new, loop::nodeSeen, loop::nodeGone);
    // Finished Pods are included, since deleted ones must still be removed.
    watches.add(
        "Pod",
        watching.pods().inAnyNamespace().withoutField("spec.nodeName", ""),
        Pod::new,
        loop::podSeen,
        loop::podGone);
    watches.start(loop::listed);
  }

  private void reconcile(FleetKey key) {
    loop.reconcile(key);
  }

  /** Whether it has listed everything once and receives changes of every kind. */
  public boolean isReady() {
    return watches.isWatching();
  }

  /** Whether the process is healthy: no task has run for longer than a minute. */
  public boolean isHealthy() {
    return thread.isResponsive(LONGEST_WORK);
  }

  /** The requests sent to the API server so far. */
  public RequestCounts requests() {
    return meter.counts();
  }

  /** Ends the data centre; its objects remain. Waits briefly for the writes in flight. */
  @Override
  public void close() {
    watches.close();
    timers.shutdownNow();
    thread.close();
    sender.close();
    client.close();
    watching.close();
  }
}
