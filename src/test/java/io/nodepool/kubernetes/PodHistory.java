package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The Pods that were evicted or deleted since this was created, by their label "app". */
final class PodHistory implements AutoCloseable {
  private final Map<String, String> deleted = new ConcurrentHashMap<>();
  private final Map<String, String> evicted = new ConcurrentHashMap<>();
  private final Map<String, String> disruptions = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> pods;

  PodHistory(KubernetesClient admin) {
    pods = admin.pods().inNamespace(Workloads.NAMESPACE).inform(new Recorder());
  }

  private final class Recorder implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      record(pod);
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      record(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean finalStateUnknown) {
      record(pod);
    }

    private void record(Pod pod) {
      String app = pod.getMetadata().getLabels().getOrDefault("app", "");
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        deleted.put(ObjectFacts.name(pod), app);
        disruptions.putIfAbsent(ObjectFacts.name(pod), disruption(pod));
      }
      // The API server sets this condition on each Pod that it evicts.
      if (pod.getStatus().getConditions().stream()
          .anyMatch(condition -> "EvictionByEvictionAPI".equals(condition.getReason()))) {
        evicted.put(ObjectFacts.name(pod), app);
      }
    }
  }

  private static String disruption(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(each -> each.getType().equals("DisruptionTarget"))
        .map(PodCondition::getReason)
        .findFirst()
        .orElse("no disruption");
  }

  /** The reason of DisruptionTarget when the deletion of each of the app's Pods was requested. */
  List<String> disruptions(String app) {
    return deleted(app).stream().map(name -> disruptions.getOrDefault(name, "")).sorted().toList();
  }

  /** Names of the app's Pods whose deletion was requested, by eviction or directly. */
  Set<String> deleted(String app) {
    return names(deleted, app);
  }

  /** Names of the app's Pods that were evicted. */
  Set<String> evicted(String app) {
    return names(evicted, app);
  }

  private static Set<String> names(Map<String, String> pods, String app) {
    return pods.entrySet().stream()
        .filter(pod -> pod.getValue().equals(app))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  @Override
  public void close() {
    pods.close();
  }
}
