package io.nodepool.kubernetes.operator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.convert.NamespaceConversion;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.SignalConversion;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.kubernetes.fleet.HostFleet;
import io.nodepool.kubernetes.watch.ApiServerVersion;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.ObjectFeed;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.model.Observation;
import io.nodepool.vocabulary.UserText;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches of Nodes, Pods, Namespaces and the fleet, as observations. The runtime watches the
 * NodePools of a process that leads: see {@link PoolEventSource}.
 */
public final class ClusterWatches implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterWatches.class);

  private final HostFleet fleet;
  private final Consumer<Observation> out;
  private final List<KindWatch<?>> watches;
  private final ApiServerVersion version;

  /**
   * The watches of signals and of monitors' heartbeats. {@link #listed} does not wait for them,
   * since a cluster may lack their definitions; late signals only begin to count later.
   */
  private final List<KindWatch<?>> signals;

  /**
   * Watches that have not started.
   *
   * @param namespace the namespace of the changes of the alerts
   * @param out receives observations on several threads; observations of one object in order
   */
  public ClusterWatches(
      KubernetesClient client, HostFleet fleet, String namespace, Consumer<Observation> out) {
    this.fleet = fleet;
    this.out = out;
    this.watches =
        new CopyOnWriteArrayList<>(
            List.of(nodes(client), pods(client), namespaces(client), alerts(client, namespace)));
    this.signals = List.of(signals(client), sources(client));
    this.version = new ApiServerVersion(client, out);
  }

  /** Watches NodePools too, where no runtime does. Must be called before {@link #start}. */
  public void addPools(KubernetesClient client, ObjectFeed<NodePool> feed) {
    watches.add(
        new KindWatch<>(
            "NodePool",
            client.resources(NodePool.class),
            SlimStore.identityOnly(NodePool::new),
            feed));
  }

  /** Starts the watches. */
  public void start() {
    version.start();
    fleet.start();
    watches.forEach(KindWatch::start);
    signals.forEach(KindWatch::start);
  }

  /**
   * Completes when every existing object was delivered once, and the version of the API server was
   * delivered or could not be read.
   */
  public CompletableFuture<Void> listed() {
    return CompletableFuture.allOf(
        version.tried(),
        fleet.listed(),
        CompletableFuture.allOf(
            watches.stream().map(KindWatch::listed).toArray(CompletableFuture<?>[]::new)));
  }

  /** Whether changes of every kind are being received. */
  public boolean isWatching() {
    return fleet.isWatching() && watches.stream().allMatch(KindWatch::isWatching);
  }

  /** The observation that an object is gone. */
  @FunctionalInterface
  private interface Gone {
    Observation of(String name, String uid, long version);
  }

  private <T extends HasMetadata> Consumer<T> gone(Gone observation) {
    return object ->
        out.accept(
            observation.of(
                ObjectFacts.name(object), ObjectFacts.uid(object), ObjectFacts.version(object)));
  }

  private KindWatch<Node> nodes(KubernetesClient client) {
    Consumer<Node> gone = gone(Observation.NodeGone::new);
    return new KindWatch<>(
        "Node",
        client.nodes(),
        SlimStore.identityOnly(Node::new),
        node ->
            NodeConversion.node(node)
                .map(Observation.NodeSeen::new)
                // A Node without the annotations of its Host no longer belongs to the operator.
                .ifPresentOrElse(out, () -> gone.accept(node)),
        gone,
        (node, why) -> out.accept(NodeConversion.unreadable(node, why)));
  }

  private KindWatch<HostSignalsResource> signals(KubernetesClient client) {
    return new KindWatch<>(
        "HostSignals",
        client.resources(HostSignalsResource.class),
        SlimStore.identityOnly(HostSignalsResource::new),
        object -> out.accept(new Observation.SignalsSeen(SignalConversion.signals(object))),
        gone(Observation.SignalsGone::new));
  }

  private KindWatch<SignalSourceResource> sources(KubernetesClient client) {
    return new KindWatch<>(
        "SignalSource",
        client.resources(SignalSourceResource.class),
        SlimStore.identityOnly(SignalSourceResource::new),
        object -> out.accept(new Observation.SourceSeen(SignalConversion.source(object))),
        gone(Observation.SourceGone::new));
  }

  private KindWatch<Pod> pods(KubernetesClient client) {
    return new KindWatch<>(
        "Pod",
        KindWatch.boundPods(client),
        pod ->
            new PodBuilder()
                .withMetadata(SlimStore.identity(pod))
                .withNewSpec()
                .withNodeName(pod.getSpec().getNodeName())
                .endSpec()
                .build(),
        pod -> PodConversion.pod(pod).map(Observation.PodSeen::new).ifPresent(out),
        pod ->
            out.accept(
                new Observation.PodGone(
                    pod.getSpec().getNodeName(), ObjectFacts.uid(pod), ObjectFacts.version(pod))));
  }

  private KindWatch<Namespace> namespaces(KubernetesClient client) {
    return new KindWatch<>(
        "Namespace",
        client.namespaces(),
        SlimStore.identityOnly(Namespace::new),
        namespace ->
            out.accept(new Observation.NamespaceSeen(NamespaceConversion.namespace(namespace))),
        gone(Observation.NamespaceGone::new));
  }

  /** Without the ConfigMap, at the start or after its deletion, the alerts are those that ship. */
  private KindWatch<ConfigMap> alerts(KubernetesClient client, String namespace) {
    return new KindWatch<>(
        "ConfigMap",
        client.configMaps().inNamespace(namespace).withName(AlertsDocument.NAME),
        SlimStore.identityOnly(ConfigMap::new),
        map -> {
          AlertCatalogue catalogue = AlertsDocument.read(map);
          log.info(
              "ConfigMap {}/{} changes or adds these alerts: {}",
              namespace,
              AlertsDocument.NAME,
              UserText.explanation(String.join(", ", catalogue.changed())));
          out.accept(new Observation.CatalogueSeen(catalogue));
        },
        map -> {
          log.info(
              "ConfigMap {}/{} is gone; the alerts are those that ship with the operator",
              namespace,
              AlertsDocument.NAME);
          out.accept(new Observation.CatalogueSeen(AlertCatalogue.shipped()));
        },
        (map, why) ->
            out.accept(new Observation.CatalogueRefused(String.valueOf(why.getMessage()))));
  }

  @Override
  public void close() {
    version.close();
    watches.forEach(KindWatch::close);
    signals.forEach(KindWatch::close);
    fleet.close();
  }
}
