package io.nodepool.explain;

import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.node.NodeActivity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The Pods that are tenant work, by the rule of the operator with its defaults. */
public final class TenantPods {
  private static final Comparator<Pod> BY_NODE =
      Comparator.comparing(Pod::nodeName).thenComparing(Pod::namespace).thenComparing(Pod::name);

  private TenantPods() {}

  /** The tenant Pods of these observations, by Node and name. */
  public static List<Pod> of(List<Observation> seen) {
    Map<String, Namespace> namespaces = new HashMap<>();
    List<Pod> pods = new ArrayList<>();
    for (Observation each : seen) {
      if (each instanceof Observation.NamespaceSeen(Namespace namespace)) {
        namespaces.put(namespace.name(), namespace);
      } else if (each instanceof Observation.PodSeen(Pod pod)) {
        pods.add(pod);
      }
    }
    // A list does not contain who set the label of a Namespace: assumes another client.
    return pods.stream()
        .filter(pod ->
            NodeActivity.isWork(
                pod,
                name ->
                    ControlPlaneNamespaces.DEFAULTS.include(
                        name, Optional.ofNullable(namespaces.get(name)), LabelAuthor.OTHERS)))
        .sorted(BY_NODE)
        .toList();
  }
}
