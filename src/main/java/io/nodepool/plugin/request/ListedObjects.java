package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.watch.ListedObservations;
import io.nodepool.model.Observation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The objects that the operator's plans depend on, as this user may list them.
 *
 * @param observations what an operator would observe of them
 * @param missing a sentence for each kind that this user may not list
 */
public record ListedObjects(List<Observation> observations, List<String> missing) {
  private static final Map<String, Class<? extends HasMetadata>> KINDS = kinds();

  public ListedObjects {
    observations = List.copyOf(observations);
    missing = List.copyOf(missing);
  }

  private static Map<String, Class<? extends HasMetadata>> kinds() {
    Map<String, Class<? extends HasMetadata>> kinds = new LinkedHashMap<>();
    kinds.put(ApiPaths.POOLS, NodePool.class);
    kinds.put(ApiPaths.HOSTS, HostResource.class);
    kinds.put(ApiPaths.NODES, Node.class);
    kinds.put(ApiPaths.PODS, Pod.class);
    kinds.put(ApiPaths.NAMESPACES, Namespace.class);
    kinds.put(ApiPaths.SIGNALS, HostSignalsResource.class);
    kinds.put(ApiPaths.SOURCES, SignalSourceResource.class);
    return kinds;
  }

  /** Lists the objects. */
  public static ListedObjects of(ClusterClient client) {
    List<Observation> seen = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    KINDS.forEach((path, type) ->
        client
            .listable(path)
            .ifPresentOrElse(
                items -> items.forEach(item -> seen.addAll(observed(item, type))),
                () ->
                    missing.add(
                        "you may not list %s: what depends on them is not known"
                            .formatted(path.substring(path.lastIndexOf('/') + 1)))));
    List.of(OfferDocument.NAME, AlertsDocument.NAME)
        .forEach(name ->
            client
                .find(ApiPaths.configMap(OfferDocument.NAMESPACE, name))
                .ifPresent(map -> seen.addAll(observed(map, ConfigMap.class))));
    return new ListedObjects(seen, missing);
  }

  /** What an operator would observe of an object; none if it ignores it. */
  static List<Observation> observed(JsonNode object, Class<? extends HasMetadata> type) {
    HasMetadata typed = ApiSerialization.shared().unmarshal(object.toString(), type);
    return ListedObservations.of(typed).stream().toList();
  }
}
