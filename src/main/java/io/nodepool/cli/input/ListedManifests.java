package io.nodepool.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The stored machines, pools, Nodes and workloads of a cluster that this user may list, or that a
 * file contains.
 *
 * @param unlisted the plural names of the kinds that this user may not list, or that the file does
 *     not contain
 */
public record ListedManifests(List<HasMetadata> objects, List<String> unlisted) {
  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry(ApiPaths.POOLS, NodePool.class),
              Map.entry(ApiPaths.HOSTS, HostResource.class),
              Map.entry(ApiPaths.NODES, Node.class),
              Map.entry(ApiPaths.PODS, Pod.class),
              Map.entry(ApiPaths.BUDGETS, PodDisruptionBudget.class),
              Map.entry("/apis/apps/v1/deployments", Deployment.class),
              Map.entry("/apis/apps/v1/replicasets", ReplicaSet.class),
              Map.entry("/apis/apps/v1/statefulsets", StatefulSet.class),
              Map.entry("/apis/apps/v1/daemonsets", DaemonSet.class),
              Map.entry("/apis/batch/v1/jobs", Job.class),
              Map.entry("/apis/scheduling.k8s.io/v1/priorityclasses", PriorityClass.class)));

  /** Kinds whose status is read, not only their spec. */
  private static final Set<Class<? extends HasMetadata>> STORED =
      Set.of(NodePool.class, HostResource.class);

  public ListedManifests {
    objects = List.copyOf(objects);
    unlisted = List.copyOf(unlisted);
  }

  /**
   * Lists the objects of a cluster.
   *
   * @param kinds the kinds to list
   * @param lists the objects of a list, by its path; empty if this user may not read them, or the
   *     kind does not exist
   */
  public static ListedManifests of(
      Set<Class<? extends HasMetadata>> kinds, Function<String, Optional<List<JsonNode>>> lists) {
    List<HasMetadata> objects = new ArrayList<>();
    List<String> unlisted = new ArrayList<>();
    KINDS.forEach((path, type) -> {
      if (kinds.contains(type)) {
        lists
            .apply(path)
            .ifPresentOrElse(
                items -> items.forEach(item -> objects.add(typed(item, type))),
                () -> unlisted.add(HasMetadata.getPlural(type)));
      }
    });
    return new ListedManifests(objects, unlisted);
  }

  /**
   * Lists all kinds of a cluster, and reads its fleet's offer.
   *
   * @param lists as above
   * @param find an object, by its path; empty as above
   * @param namespace where the fleet's offer is
   */
  public static ListedManifests all(
      Function<String, Optional<List<JsonNode>>> lists,
      Function<String, Optional<JsonNode>> find,
      String namespace) {
    ListedManifests listed = of(Set.copyOf(KINDS.values()), lists);
    List<HasMetadata> objects = new ArrayList<>(listed.objects);
    find.apply(ApiPaths.configMap(namespace, OfferDocument.NAME))
        .ifPresent(map -> objects.add(typed(map, ConfigMap.class)));
    return new ListedManifests(objects, listed.unlisted);
  }

  /**
   * Reads the objects of a file.
   *
   * @param name the name of the text, for errors
   */
  public static ListedManifests of(
      Set<Class<? extends HasMetadata>> kinds, Reader text, String name) {
    List<HasMetadata> objects = new ArrayList<>();
    ObjectDocuments.read(
        text,
        name,
        item ->
            kinds.stream()
                .filter(type -> ObjectDocuments.isOf(type, item))
                .forEach(type -> {
                  if (STORED.contains(type)) {
                    ObjectDocuments.requireStored(item, name);
                  }
                  objects.add(typed(item, type));
                }));
    List<String> missing =
        kinds.stream()
            .filter(type -> objects.stream().noneMatch(type::isInstance))
            .map(HasMetadata::getPlural)
            .sorted()
            .toList();
    return new ListedManifests(objects, missing);
  }

  /** Reads all kinds of a file, and the fleet's offer. */
  public static ListedManifests all(Reader text, String name) {
    Set<Class<? extends HasMetadata>> kinds = new HashSet<>(KINDS.values());
    kinds.add(ConfigMap.class);
    return of(kinds, text, name);
  }

  private static <T> T typed(JsonNode object, Class<T> type) {
    return ApiSerialization.shared().unmarshal(object.toString(), type);
  }
}
