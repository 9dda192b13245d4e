package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
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
import java.util.Optional;

/** The observations of objects in a list. */
public final class ListedObservations {
  private ListedObservations() {}

  /**
   * The observation of a NodePool, Host, Node, Pod, Namespace, HostSignals, SignalSource, or the
   * ConfigMap of the offer or of the alerts. Empty for any other object, and for an object that the
   * operator ignores.
   */
  public static Optional<Observation> of(HasMetadata object) {
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
