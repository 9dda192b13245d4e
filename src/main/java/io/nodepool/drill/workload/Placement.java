package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the scheduler places a Pod: requests, nodeSelector, required node affinity, taints. Of the
 * Nodes that fit, the Node with most free resources is chosen, then the first by name. Pure.
 */
final class Placement {
  private static final String PODS = "pods";
  private static final long ONE = 1000;
  private static final List<String> GPUS =
      List.of("nvidia.com/gpu", "sunk.coreweave.com/accelerator");

  /** Requests on each Node, by its name, then by resource. */
  private final Map<String, Map<String, Long>> used;

  /** Amounts that are reserved on each Node for other Pods, likewise. */
  private final Map<String, Map<String, Long>> reserved;

  private final Collection<NodeView> nodes;

  /**
   * Places Pods on these Nodes.
   *
   * @param used the requests of the Pods on each Node; placed Pods are added
   */
  Placement(Collection<NodeView> nodes, Map<String, Map<String, Long>> used) {
    this(nodes, used, Map.of());
  }

  /**
   * Places Pods on these Nodes, with room for other Pods.
   *
   * @param reserved it may grow while Pods are placed
   */
  Placement(
      Collection<NodeView> nodes,
      Map<String, Map<String, Long>> used,
      Map<String, Map<String, Long>> reserved) {
    this.nodes = nodes;
    this.used = used;
    this.reserved = reserved;
  }

  /** The requests of a Pod, by resource, in thousandths of its unit. */
  static Map<String, Long> requests(PodSpec spec) {
    TreeMap<String, Long> sum = new TreeMap<>();
    spec.getContainers()
        .forEach(each -> requested(each).forEach((k, v) -> sum.merge(k, v, Long::sum)));
    spec.getInitContainers()
        .forEach(each -> requested(each).forEach((k, v) -> sum.merge(k, v, Math::max)));
    sum.merge(PODS, ONE, Long::sum);
    return sum;
  }

  /** The requests of a container; a limit without a request counts as a request. */
  private static Map<String, Long> requested(Container container) {
    Map<String, Long> all = new TreeMap<>();
    if (container.getResources() != null) {
      add(container.getResources().getLimits(), all);
      add(container.getResources().getRequests(), all);
    }
    return all;
  }

  private static void add(Map<String, Quantity> amounts, Map<String, Long> to) {
    if (amounts != null) {
      amounts.forEach((resource, amount) -> to.put(resource, NodeView.thousandths(amount)));
    }
  }

  /** Places a Pod, and returns its Node; empty if the Pod fits on none. */
  Optional<String> place(PodSpec spec, Map<String, Long> requests) {
    NodeView best = null;
    double most = -1;
    for (NodeView node : nodes) {
      if (admits(node, spec) && fits(node, requests)) {
        double left = left(node, requests);
        if (left > most
            || (left == most && best != null && node.name().compareTo(best.name()) < 0)) {
          best = node;
          most = left;
        }
      }
    }
    return Optional.ofNullable(best)
        .map(node -> {
          count(used, node.name(), requests, 1);
          return node.name();
        });
  }

  /** Places all of these Pods, or none. */
  List<String> placeAll(PodSpec spec, Map<String, Long> requests, int pods) {
    List<String> placed = new ArrayList<>();
    for (int i = 0; i < pods; i++) {
      Optional<String> node = place(spec, requests);
      if (node.isEmpty()) {
        placed.forEach(each -> count(used, each, requests, -1));
        return List.of();
      }
      placed.add(node.get());
    }
    return placed;
  }

  /** A copy for trials. */
  static Map<String, Map<String, Long>> copy(Map<String, Map<String, Long>> used) {
    Map<String, Map<String, Long>> copy = new HashMap<>();
    used.forEach((node, amounts) -> copy.put(node, new HashMap<>(amounts)));
    return copy;
  }

  /** Adds requests of Pods to a Node; a negative number removes them. */
  static void count(
      Map<String, Map<String, Long>> used, String node, Map<String, Long> requests, int pods) {
    Map<String, Long> there = used.computeIfAbsent(node, _ -> new HashMap<>());
    requests.forEach((resource, amount) -> there.merge(resource, pods * amount, Long::sum));
  }

  /** Whether a Pod with these requests has room on a Node. */
  boolean fits(NodeView node, Map<String, Long> requests) {
    return requests.entrySet().stream()
        .allMatch(each -> each.getValue() == 0 || free(node, each.getKey()) >= each.getValue());
  }

  private long free(NodeView node, String resource) {
    return node.allocatable().getOrDefault(resource, 0L)
        - used.getOrDefault(node.name(), Map.of()).getOrDefault(resource, 0L)
        - reserved.getOrDefault(node.name(), Map.of()).getOrDefault(resource, 0L);
  }

  /** The mean free share of processors and memory, as the scheduler scores it. */
  private double left(NodeView node, Map<String, Long> requests) {
    return List.of("cpu", "memory").stream()
        .mapToDouble(resource -> {
          long all = node.allocatable().getOrDefault(resource, 0L);
          long left = free(node, resource) - requests.getOrDefault(resource, 0L);
          return all == 0 ? 0 : (double) left / all;
        })
        .average()
        .orElse(0);
  }

  /** Whether a Pod may run on a Node that has room. */
  static boolean admits(NodeView node, PodSpec spec) {
    return isSelected(node, spec)
        && node.taints().stream().allMatch(taint -> tolerates(spec, taint));
  }

  /** Pods that request no GPU tolerate the taint of CPU machines by an admission policy. */
  private static boolean tolerates(PodSpec spec, Taint taint) {
    return taint.effect().equals("PreferNoSchedule")
        || (taint.key().equals(NodeTaints.IS_CPU_COMPUTE.key()) && !requestsGpus(spec))
        || spec.getTolerations().stream().anyMatch(each -> tolerates(each, taint));
  }

  private static boolean requestsGpus(PodSpec spec) {
    return gpus(requests(spec)) > 0;
  }

  /** How many GPUs are requested, in thousandths. */
  static long gpus(Map<String, Long> requests) {
    return GPUS.stream().mapToLong(each -> requests.getOrDefault(each, 0L)).sum();
  }

  private static boolean tolerates(Toleration toleration, Taint taint) {
    boolean exists = "Exists".equals(toleration.getOperator());
    boolean any = toleration.getKey() == null || toleration.getKey().isEmpty();
    return (toleration.getEffect() == null
            || toleration.getEffect().isEmpty()
            || toleration.getEffect().equals(taint.effect()))
        && (any ? exists : toleration.getKey().equals(taint.key()))
        && (exists || taint.value().equals(Objects.requireNonNullElse(toleration.getValue(), "")));
  }

  private static boolean isSelected(NodeView node, PodSpec spec) {
    Map<String, String> selector = spec.getNodeSelector();
    boolean selected =
        selector == null || node.labels().entrySet().containsAll(selector.entrySet());
    NodeAffinity affinity =
        spec.getAffinity() == null ? null : spec.getAffinity().getNodeAffinity();
    if (!selected
        || affinity == null
        || affinity.getRequiredDuringSchedulingIgnoredDuringExecution() == null) {
      return selected;
    }
    return affinity
        .getRequiredDuringSchedulingIgnoredDuringExecution()
        .getNodeSelectorTerms()
        .stream()
        .anyMatch(term -> matches(node, term));
  }

  private static boolean matches(NodeView node, NodeSelectorTerm term) {
    boolean empty = term.getMatchExpressions().isEmpty() && term.getMatchFields().isEmpty();
    return !empty
        && term.getMatchExpressions().stream()
            .allMatch(each -> matches(each, node.labels().get(each.getKey())))
        && term.getMatchFields().stream()
            .allMatch(each -> each.getKey().equals("metadata.name") && matches(each, node.name()));
  }

  private static boolean matches(NodeSelectorRequirement rule, @Nullable String value) {
    return switch (rule.getOperator()) {
      case "In" -> value != null && rule.getValues().contains(value);
      case "NotIn" -> value == null || !rule.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> compared(value, rule) > 0;
      case "Lt" -> compared(value, rule) < 0;
      default -> false;
    };
  }

  /** Compares a number with the number of a rule; 0 if one of them is not a number. */
  private static int compared(@Nullable String value, NodeSelectorRequirement rule) {
    try {
      return value == null
          ? 0
          : Long.compare(Long.parseLong(value), Long.parseLong(rule.getValues().getFirst()));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
