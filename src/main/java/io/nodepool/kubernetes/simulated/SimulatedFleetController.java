package io.nodepool.kubernetes.simulated;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.SteadyClock;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.kubernetes.ApiRequests;
import io.nodepool.kubernetes.Clients;
import io.nodepool.kubernetes.KeyedTimers;
import io.nodepool.kubernetes.KindWatch;
import io.nodepool.kubernetes.OfferDocument;
import io.nodepool.kubernetes.RequestCounts;
import io.nodepool.kubernetes.RequestMeter;
import io.nodepool.kubernetes.SlimStore;
import io.nodepool.kubernetes.WriteGate;
import io.nodepool.kubernetes.api.Host;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the data centre that one SimulatedFleet describes: it creates its Hosts, publishes what it
 * offers, and plays its machines and their kubelets. It shares nothing with the operator but the
 * API server.
 */
public final class SimulatedFleetController implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SimulatedFleetController.class);
  private static final Duration LONGEST_WORK = Duration.ofSeconds(60);

  /**
   * Which data centre is run, and how.
   *
   * @param fleet name of the SimulatedFleet
   * @param namespace where its offer is published
   * @param speed how many times faster than described its machines are, at least 1
   * @param leases whether its kubelets renew the Leases of their Nodes, without which most clusters
   *     give the Nodes up after less than a minute
   * @param addresses whether its Nodes have an InternalIP. It leads nowhere, so where real Nodes
   *     stand beside them, some network plugins fail at the routes to it
   * @param meters where its requests are counted
   * @param wall the wall clock; when the data centre starts it sets its own clock by it, which is
   *     steady from there on
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

    /** For a local cluster: it waits an hour for silent kubelets, and has no other Nodes. */
    public Settings(String fleet, String namespace, int speed, InstantSource wall) {
      this(fleet, namespace, speed, false, true, new SimpleMeterRegistry(), wall);
    }
  }

  private final Settings settings;
  private final RequestMeter meter;
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final HttpApiSender sender;
  private final ScheduledThreadPoolExecutor thread;
  private final FleetLoop loop;
  private final List<KindWatch<?>> watches = new ArrayList<>();

  /** When the work that is done now began, on the monotonic clock; 0 while there is none. */
  private volatile long began;

  private SimulatedFleetController(Config config, Settings settings) {
    this.settings = settings;
    this.meter = new RequestMeter(settings.meters());
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    this.thread = KeyedTimers.thread("data-centre");
    InstantSource clock = new SteadyClock(settings.wall(), System::nanoTime);
    this.sender = new HttpApiSender(new ApiRequests(client, WriteGate.ALWAYS_OPEN), this::run);
    this.loop =
        new FleetLoop(
            sender,
            new KeyedTimers<>(thread, Runnable::run, clock, this::look),
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

  /** What is wrong with the description of a data centre, in a sentence; empty if it can be run. */
  public static Optional<String> mistake(SimulatedFleet fleet) {
    return switch (DataCentreDocument.read(fleet.getSpec(), InstanceCatalogue.bundled())) {
      case DataCentreDocument.Reading.Valid _ -> Optional.empty();
      case DataCentreDocument.Reading.Invalid(String why) -> Optional.of(why);
    };
  }

  private void watch() {
    watch(
        "SimulatedFleet",
        watching.resources(SimulatedFleet.class).withName(settings.fleet()),
        SimulatedFleetController::slim,
        loop::fleetSeen,
        _ -> loop.fleetGone());
    watch(
        "ConfigMap",
        watching.configMaps().inNamespace(settings.namespace()).withName(OfferDocument.NAME),
        map -> new ConfigMapBuilder().withMetadata(SlimStore.identity(map)).build(),
        loop::offerSeen,
        _ -> loop.offerGone());
    watch(
        "Host",
        watching.resources(Host.class).withLabel(FleetRequests.FLEET_LABEL, settings.fleet()),
        SimulatedFleetController::slim,
        loop::hostSeen,
        loop::hostGone);
    watch(
        "Node",
        watching.nodes(),
        node -> new NodeBuilder().withMetadata(SlimStore.identity(node)).build(),
        loop::nodeSeen,
        loop::nodeGone);
    watch(
        "Pod",
        watching
            .pods()
            .inAnyNamespace()
            .withoutField("spec.nodeName", "")
            .withoutField("status.phase", "Succeeded")
            .withoutField("status.phase", "Failed"),
        pod -> new PodBuilder().withMetadata(SlimStore.identity(pod)).build(),
        loop::podSeen,
        loop::podGone);
    var _ =
        CompletableFuture.allOf(
                watches.stream().map(KindWatch::listed).toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> run(loop::listed));
    watches.forEach(KindWatch::start);
  }

  private <T extends HasMetadata> void watch(
      String kind, Informable<T> what, UnaryOperator<T> slim, Consumer<T> seen, Consumer<T> gone) {
    watches.add(
        new KindWatch<>(
            kind,
            what,
            slim,
            object -> run(() -> seen.accept(object)),
            object -> run(() -> gone.accept(object))));
  }

  private static SimulatedFleet slim(SimulatedFleet fleet) {
    SimulatedFleet slim = new SimulatedFleet();
    slim.setMetadata(SlimStore.identity(fleet));
    return slim;
  }

  private static Host slim(Host host) {
    Host slim = new Host();
    slim.setMetadata(SlimStore.identity(host));
    return slim;
  }

  private void look(Key key) {
    guarded(() -> loop.look(key));
  }

  private void guarded(Runnable work) {
    began = Math.max(1, System.nanoTime());
    try {
      work.run();
    } catch (RuntimeException e) {
      log.error("The data centre met an error and goes on", e);
    } finally {
      began = 0;
    }
  }

  private void run(Runnable work) {
    try {
      thread.execute(() -> guarded(work));
    } catch (RejectedExecutionException e) {
      log.debug("Nothing happens in a data centre that is closed", e);
    }
  }

  /** Whether it has seen everything once and sees changes of every kind. */
  public boolean isReady() {
    return watches.stream().allMatch(watch -> watch.listed().isDone() && watch.isWatching());
  }

  /** Whether the process should go on living: no single piece of work has taken a minute. */
  public boolean isHealthy() {
    long since = began;
    return since == 0 || System.nanoTime() - since < LONGEST_WORK.toNanos();
  }

  /** What was sent to the API server so far. */
  public RequestCounts requests() {
    return meter.counts();
  }

  /** Ends the data centre; what it wrote stays. Waits shortly for the writes under way. */
  @Override
  public void close() {
    watches.forEach(KindWatch::close);
    thread.shutdownNow();
    sender.close();
    client.close();
    watching.close();
  }
}
