package io.nodepool.kubernetes.simulated;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.kubernetes.OfferDocument;
import io.nodepool.kubernetes.api.Host;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
  private static final long PAGE = 500;
  private static final String BOUND_AND_UNFINISHED_NODE = "spec.nodeName";

  /**
   * Which data centre is run, and how.
   *
   * @param fleet name of the SimulatedFleet
   * @param namespace where its offer is published
   * @param speed how many times faster than described its machines are, at least 1
   */
  public record Settings(String fleet, String namespace, int speed, InstantSource clock) {
    public Settings {
      if (speed < 1) {
        throw new IllegalArgumentException("speed must be at least 1, not " + speed);
      }
    }
  }

  private final KubernetesClient client;
  private final Settings settings;
  private final ScheduledThreadPoolExecutor thread;
  private final FleetLoop loop;
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

  private SimulatedFleetController(KubernetesClient client, Settings settings) {
    this.client = client;
    this.settings = settings;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("data-centre").factory());
    thread.setRemoveOnCancelPolicy(true);
    KeyedTimers timers = new KeyedTimers(thread, settings.clock(), this::look);
    this.loop =
        new FleetLoop(
            new FleetRequests(settings.fleet(), settings.namespace()),
            new HttpApiSender(client, this::run),
            timers,
            settings.clock(),
            InstanceCatalogue.bundled(),
            settings.speed());
  }

  /**
   * Starts a data centre.
   *
   * @param client its own, which resends nothing by itself; it stays open when the data centre is
   *     closed
   */
  public static SimulatedFleetController start(KubernetesClient client, Settings settings) {
    SimulatedFleetController controller = new SimulatedFleetController(client, settings);
    controller.watch();
    return controller;
  }

  private void watch() {
    CompletableFuture<?>[] lists = {
      start(
          client.resources(SimulatedFleet.class).withName(settings.fleet()),
          UnaryOperator.identity(),
          loop::fleetSeen,
          _ -> loop.fleetGone()),
      start(
          client.configMaps().inNamespace(settings.namespace()).withName(OfferDocument.NAME),
          UnaryOperator.identity(),
          loop::offerSeen,
          _ -> loop.offerGone()),
      start(
          client
              .resources(Host.class)
              .withLabel(FleetRequests.FLEET_LABEL, settings.fleet())
              .withLimit(PAGE),
          SimulatedFleetController::slim,
          loop::hostSeen,
          loop::hostGone),
      start(
          client.nodes().withLimit(PAGE),
          node -> new NodeBuilder().withMetadata(slim(node.getMetadata())).build(),
          loop::nodeSeen,
          loop::nodeGone),
      start(
          client
              .pods()
              .inAnyNamespace()
              .withoutField(BOUND_AND_UNFINISHED_NODE, "")
              .withoutField("status.phase", "Succeeded")
              .withoutField("status.phase", "Failed")
              .withLimit(PAGE),
          pod -> new PodBuilder().withMetadata(slim(pod.getMetadata())).build(),
          loop::podSeen,
          loop::podGone)
    };
    var _ =
        CompletableFuture.allOf(lists)
            .whenComplete((_, failure) -> {
              if (failure == null) {
                run(loop::listed);
              } else {
                log.error("The data centre cannot be watched: {}", failure.getMessage());
              }
            });
  }

  private <T extends HasMetadata> CompletableFuture<Void> start(
      Informable<T> what, UnaryOperator<T> slim, Consumer<T> seen, Consumer<T> gone) {
    SharedIndexInformer<T> informer =
        what.runnableInformer(0)
            .itemStore(new SlimStore<>(slim))
            .addEventHandler(
                new ResourceEventHandler<T>() {
                  @Override
                  public void onAdd(T object) {
                    run(() -> seen.accept(object));
                  }

                  @Override
                  public void onUpdate(T last, T object) {
                    run(() -> seen.accept(object));
                  }

                  @Override
                  public void onDelete(T object, boolean stateUnknown) {
                    run(() -> gone.accept(object));
                  }
                })
            // A watch that breaks is begun anew, whatever broke it.
            .exceptionHandler((_, _) -> true);
    informers.add(informer);
    CompletionStage<Void> started = informer.start();
    return started.toCompletableFuture();
  }

  private static Host slim(Host host) {
    Host slim = new Host();
    slim.setMetadata(slim(host.getMetadata()));
    return slim;
  }

  private static ObjectMeta slim(ObjectMeta metadata) {
    return new ObjectMetaBuilder()
        .withName(metadata.getName())
        .withNamespace(metadata.getNamespace())
        .withUid(metadata.getUid())
        .withResourceVersion(metadata.getResourceVersion())
        .build();
  }

  private void look(Key key) {
    guarded(() -> loop.look(key));
  }

  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      log.error("The data centre met an error and goes on", e);
    }
  }

  private void run(Runnable work) {
    try {
      thread.execute(() -> guarded(work));
    } catch (RejectedExecutionException e) {
      log.debug("Nothing happens in a data centre that is closed", e);
    }
  }

  /** Ends the data centre; what it wrote stays. Waits shortly for the write that is under way. */
  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::close);
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        log.warn("The data centre did not end within 5 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
