package io.nodepool.conformance.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.conformance.History;
import io.nodepool.conformance.Recorder;
import io.nodepool.conformance.TestedCluster;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.DeleteOptions;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.fleet.HostFleet;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.kubernetes.leader.LeadingOperator;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A real cluster, through the requests and watches of an operator. */
public final class WatchedCluster implements TestedCluster, AutoCloseable {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int MOST_TRIES = 30;
  private static final int LANES = 4;

  private final String namespace;
  private final InstantSource clock;
  private final Runnable restart;
  private final Recorder recorder;
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final ApiRequests requests;
  private final FairLanes lanes = new FairLanes(LANES, Duration.ofSeconds(5));
  private final HostFleet fleet;
  private final KindWatch<io.fabric8.kubernetes.api.model.Node> nodes;

  /**
   * Opens a cluster, and waits until its Hosts and Nodes are listed.
   *
   * @param namespace the namespace of the offer
   * @param restart kills the fleet and starts it again
   */
  public WatchedCluster(Config config, String namespace, InstantSource clock, Runnable restart) {
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
    this.namespace = namespace;
    this.clock = clock;
    this.restart = restart;
    this.recorder = new Recorder(clock);
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    this.requests = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
    this.fleet = new HostFleet(requests, lanes, watching, namespace, recorder::observe);
    this.nodes =
        new KindWatch<>(
            "Node",
            watching.nodes(),
            SlimStore.identityOnly(io.fabric8.kubernetes.api.model.Node::new),
            node -> node(node).ifPresent(each -> recorder.observe(new Observation.NodeSeen(each))),
            node ->
                recorder.observe(
                    new Observation.NodeGone(
                        ObjectFacts.name(node), ObjectFacts.uid(node), ObjectFacts.version(node))),
            (node, why) -> recorder.observe(NodeConversion.unreadable(node, why)));
  }

  /** Lists everything, and watches from then on. */
  public void start(Duration atMost) {
    fleet.start();
    nodes.start();
    try {
      CompletableFuture.allOf(fleet.listed(), nodes.listed())
          .orTimeout(atMost.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException e) {
      throw new IllegalStateException("Hosts, Nodes and the offer could not be listed in time.", e);
    }
  }

  /** A Node with all its labels and annotations; empty if it has no identity of a Host. */
  private static Optional<Node> node(io.fabric8.kubernetes.api.model.Node object) {
    return NodeConversion.node(object)
        .map(node ->
            node.withMetadata(
                new NodeMetadata(
                    Optional.empty(),
                    new TreeMap<>(ObjectFacts.orNone(object.getMetadata().getLabels())),
                    new TreeMap<>(ObjectFacts.orNone(object.getMetadata().getAnnotations())),
                    node.metadata().taints())));
  }

  /** The operator that holds the Lease now; empty if none does. */
  public Optional<String> operator() {
    Lease lease =
        client
            .resources(Lease.class)
            .inNamespace(Leadership.NAMESPACE)
            .withName(Leadership.LEASE)
            .get();
    if (lease == null || lease.getSpec() == null) {
      return Optional.empty();
    }
    LeadingOperator leader = LeadingOperator.of(lease);
    Integer seconds = lease.getSpec().getLeaseDurationSeconds();
    Duration valid = Duration.ofSeconds(seconds == null ? 0 : seconds);
    return leader
        .renewed()
        .filter(at -> !leader.holder().isEmpty() && at.plus(valid).isAfter(now()))
        .map(_ -> leader.holder());
  }

  /** The offer; if it cannot be read, an empty offer with the mistake. */
  public Offer offer() {
    ConfigMap map = client.configMaps().inNamespace(namespace).withName(OfferDocument.NAME).get();
    if (map == null) {
      return Offer.wrong("ConfigMap %s/%s is missing.".formatted(namespace, OfferDocument.NAME));
    }
    try {
      FleetOffer offer = OfferDocument.read(map);
      return new Offer(
          new History.Offered(offer.capabilities(), Optional.empty()),
          offer.releases().stream().flatMap(WatchedCluster::configurations).toList());
    } catch (UnreadableObjectException e) {
      return Offer.wrong(String.valueOf(e.getMessage()));
    }
  }

  /**
   * What a fleet offers.
   *
   * @param configurations identifiers of configurations, oldest first
   */
  public record Offer(History.Offered offered, List<String> configurations) {
    private static Offer wrong(String mistake) {
      return new Offer(
          new History.Offered(FleetOffer.Capabilities.NONE, Optional.of(mistake)), List.of());
    }
  }

  /** The oldest and the newest configuration of a release, as machines with GPUs have it. */
  private static Stream<String> configurations(FleetRelease release) {
    return switch (release) {
      case FleetRelease.Whole whole -> Stream.of(whole.name());
      case FleetRelease.Parts parts ->
          Stream.of(parts.images().getFirst(), parts.images().getLast())
              .map(image ->
                  new ConfigurationContents(
                          image.name(),
                          image.kernels().getLast(),
                          parts.gpuDrivers().isEmpty() ? "" : parts.gpuDrivers().getLast(),
                          parts.kubernetes())
                      .profile())
              .distinct();
    };
  }

  @Override
  public Recorder recorder() {
    return recorder;
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public boolean await(BooleanSupplier condition, Duration atMost) {
    Instant end = now().plus(atMost);
    synchronized (recorder) {
      while (!condition.getAsBoolean()) {
        Duration left = Duration.between(now(), end);
        if (!left.isPositive()) {
          return false;
        }
        try {
          recorder.wait(Math.clamp(left.toMillis(), 1, PAUSE.toMillis()));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted", e);
        }
      }
      return true;
    }
  }

  /** Repeats an operation without an answer: it changes nothing if it took effect. */
  @Override
  public Answer<Host> perform(HostOperation operation) {
    for (int attempt = 1; ; attempt++) {
      CompletableFuture<Answer<Host>> answer = new CompletableFuture<>();
      fleet.perform(operation, answer::complete);
      Answer<Host> last = answer.join();
      boolean open =
          last instanceof Answer.Unavailable<Host> || last instanceof Answer.Unknown<Host>;
      if (!open || attempt == MOST_TRIES) {
        return last;
      }
      await(() -> false, PAUSE);
    }
  }

  @Override
  public void delete(Node node) {
    Reply reply =
        requests.delete(ApiPaths.node(node.name()), DeleteOptions.of(node.uid()).toString());
    if (!(reply instanceof Reply.Ok || reply.isNotFound())) {
      throw new IllegalStateException(
          "Node %s could not be deleted: %s".formatted(node.name(), reply.why()));
    }
  }

  @Override
  public SortedSet<String> belongings() {
    SortedSet<String> names = new TreeSet<>();
    client
        .secrets()
        .inNamespace(namespace)
        .list()
        .getItems()
        .forEach(each -> names.add(name("Secret", each)));
    client
        .configMaps()
        .inNamespace(namespace)
        .list()
        .getItems()
        .forEach(each -> names.add(name("ConfigMap", each)));
    client.nodes().list().getItems().forEach(each -> names.add(name("Node", each)));
    return names;
  }

  private static String name(String kind, HasMetadata object) {
    return kind + " " + ObjectFacts.name(object);
  }

  @Override
  public void restart() {
    restart.run();
  }

  @Override
  public void close() {
    nodes.close();
    fleet.close();
    lanes.close();
    client.close();
    watching.close();
  }
}
