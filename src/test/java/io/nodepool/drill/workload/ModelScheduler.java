package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The scheduler of drills, asked about objects of a real cluster. */
public final class ModelScheduler {
  private ModelScheduler() {}

  /** The names of the Nodes on which a Pod fits beside these Pods. */
  public static Set<String> fitting(List<Node> nodes, List<Pod> pods, PodSpec spec) {
    Map<String, Map<String, Long>> used = new HashMap<>();
    for (Pod pod : pods) {
      if (pod.getSpec().getNodeName() != null) {
        Placement.count(used, pod.getSpec().getNodeName(), Placement.requests(pod.getSpec()), 1);
      }
    }
    Set<String> fitting = new TreeSet<>();
    for (Node node : nodes) {
      new Placement(List.of(NodeView.of(node)), used)
          .place(spec, Placement.requests(spec))
          .ifPresent(fitting::add);
    }
    return fitting;
  }
}
