package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
      new Placement(List.of(NodeView.of(node)), used)
          .place(spec, Placement.requests(spec))
          .ifPresent(fitting::add);
    }
    return fitting;
  }

  /** The Node on which Pods of lower priority would end for a Pod, and the names of these Pods. */
  public static String ended(List<Node> nodes, List<Pod> pods, PodSpec spec, int priority) {
    Map<String, Map<String, Long>> used = new HashMap<>();
    Map<String, List<Preemption.Candidate>> lower = new HashMap<>();
    for (Pod pod : pods) {
      String node = pod.getSpec().getNodeName();
      Map<String, Long> requests = Placement.requests(pod.getSpec());
      if (node != null) {
        Placement.count(used, node, requests, 1);
        if (pod.getSpec().getPriority() < priority) {
          lower
              .computeIfAbsent(node, _ -> new ArrayList<>())
              .add(
                  new Preemption.Candidate(
                      pod.getMetadata().getName(),
                      Instant.parse(pod.getMetadata().getCreationTimestamp()),
                      pod.getSpec().getPriority(),
                      false,
                      requests));
        }
      }
    }
    TreeMap<String, NodeView> views = new TreeMap<>();
    nodes.stream()
        .map(NodeView::of)
        .filter(view -> Placement.admits(view, spec))
        .forEach(view -> views.put(view.name(), view));
    return Preemption.best(views, used, Map.of(), lower, Placement.requests(spec))
        .map(each ->
            each.node()
                + " "
                + each.victims().stream().map(Preemption.Candidate::uid).sorted().toList())
        .orElse("none");
  }
}
