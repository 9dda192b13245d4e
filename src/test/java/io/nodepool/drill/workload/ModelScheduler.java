package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.nodepool.fleet.Taint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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
      new Placement(List.of(view(node)), used)
          .place(spec, Placement.requests(spec))
          .ifPresent(fitting::add);
    }
    return fitting;
  }

  private static NodeView view(Node node) {
    return new NodeView(
        node.getMetadata().getName(),
        new TreeMap<>(node.getMetadata().getLabels()),
        node.getSpec().getTaints().stream()
            .map(each ->
                new Taint(
                    each.getKey(),
                    Objects.requireNonNullElse(each.getValue(), ""),
                    each.getEffect()))
            .toList(),
        NodeView.allocatable(node));
  }
}
