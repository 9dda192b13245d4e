package io.nodepool.explain;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.control.state.ClusterState;
import io.nodepool.health.HealthSettings;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.NamespaceConversion;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.SignalConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.model.Observation;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The state of an operator that has observed these objects for a while and has written nothing:
 * what it holds in memory alone, such as back-off and live reads, is missing.
 */
public final class ListedCluster {
  /** Longer than what an operator waits for after its start, and before it counts as watching. */
  private static final Duration OBSERVED = Duration.ofHours(1);

  private ListedCluster() {}

  /**
   * The state at this instant.
   *
   * @param objects NodePools, Hosts, Nodes, Pods, Namespaces, what is reported about machines, and
   *     the ConfigMaps of the offer and of the alerts; others are ignored
   */
  static ClusterState of(Stream<? extends HasMetadata> objects, Instant now) {
    return observed(objects.flatMap(object -> observation(object).stream()), now);
  }

  /** The state at this instant of an operator that has observed this. */
  public static ClusterState observed(Stream<Observation> seen, Instant now) {
    ClusterState state =
        new ClusterState(
            ControlPlaneNamespaces.DEFAULTS,
            HealthSettings.DEFAULTS,
            KeyExceptions.NONE,
            () -> now);
    seen.forEach(each -> {
      var _ = state.fold(each, ClusterState.Source.WATCH);
    });
    var _ = state.completed(now.minus(OBSERVED));
    return state;
  }

  private static Optional<Observation> observation(HasMetadata object) {
    return switch (object) {
      case NodePool pool -> Optional.of(pool(pool));
      case HostResource host -> host(host);
      case Node node -> node(node);
      case Pod pod -> PodConversion.pod(pod).map(Observation.PodSeen::new);
      case Namespace namespace ->
          Optional.of(new Observation.NamespaceSeen(NamespaceConversion.namespace(namespace)));
      case HostSignalsResource signals ->
          Optional.of(new Observation.SignalsSeen(SignalConversion.signals(signals)));
      case SignalSourceResource source ->
          Optional.of(new Observation.SourceSeen(SignalConversion.source(source)));
      case ConfigMap map -> document(map);
      default -> Optional.empty();
    };
  }

  private static Observation pool(NodePool pool) {
    try {
      return new Observation.PoolSeen(PoolConversion.pool(pool));
    } catch (UnreadableObjectException e) {
      return PoolConversion.unreadable(pool, e);
    }
  }

  private static Optional<Observation> host(HostResource host) {
    try {
      return HostConversion.host(host).map(Observation.HostSeen::new);
    } catch (UnreadableObjectException e) {
      return Optional.of(HostConversion.unreadable(host, e));
    }
  }

  private static Optional<Observation> node(Node node) {
    try {
      return NodeConversion.node(node).map(Observation.NodeSeen::new);
    } catch (UnreadableObjectException e) {
      return Optional.of(NodeConversion.unreadable(node, e));
    }
  }

  private static Optional<Observation> document(ConfigMap map) {
    return switch (map.getMetadata().getName()) {
      case OfferDocument.NAME -> Optional.of(offer(map));
      case AlertsDocument.NAME -> Optional.of(alerts(map));
      default -> Optional.empty();
    };
  }

  private static Observation offer(ConfigMap map) {
    try {
      return new Observation.OfferSeen(OfferDocument.read(map));
    } catch (UnreadableObjectException e) {
      return new Observation.OfferLost(String.valueOf(e.getMessage()));
    }
  }

  private static Observation alerts(ConfigMap map) {
    try {
      return new Observation.CatalogueSeen(AlertsDocument.read(map));
    } catch (UnreadableObjectException e) {
      return new Observation.CatalogueRefused(String.valueOf(e.getMessage()));
    }
  }
}
