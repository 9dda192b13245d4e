package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The Pods that would find no Node if Nodes of a pool were lost. Pods of lost Nodes are placed on
 * the other Nodes, as the scheduler does, without preemption. Pure.
 */
public final class Losses {
  /** Owners that do not need a place elsewhere. */
  private static final Set<String> OF_THE_NODE = Set.of("DaemonSet", "Node");

  private static final Set<String> OVER = Set.of("Succeeded", "Failed");

  /**
   * The result of a loss.
   *
   * @param atOnce how many Pods would have no Node, by workload
   * @param later the same once free machines have replaced lost machines
   */
  public record Loss(SortedMap<String, Integer> atOnce, SortedMap<String, Integer> later) {}

  private final SortedMap<String, NodeView> nodes = new TreeMap<>();
  private final Map<String, List<Pod>> pods;
  private final List<String> ofPool;
  private final SortedMap<String, List<String>> racks = new TreeMap<>();
  private final int spares;

  private Losses(List<Node> nodes, List<Pod> pods, String pool, int spares) {
    nodes.forEach(node -> this.nodes.put(node.getMetadata().getName(), NodeView.of(node)));
    this.pods =
        pods.stream()
            .filter(Losses::runs)
            .collect(Collectors.groupingBy(pod -> pod.getSpec().getNodeName()));
    this.ofPool =
        nodes.stream()
            .filter(node -> pool.equals(label(node, NodeLabels.NODE_POOL)))
            .map(node -> node.getMetadata().getName())
            .sorted(
                Comparator.comparingLong(this::requestedGpus)
                    .reversed()
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    nodes.stream()
        .filter(node -> pool.equals(label(node, NodeLabels.NODE_POOL)))
        .filter(node -> !label(node, NodeLabels.RACK).isEmpty())
        .forEach(node ->
            racks
                .computeIfAbsent(label(node, NodeLabels.RACK), _ -> new ArrayList<>())
                .add(node.getMetadata().getName()));
    this.spares = spares;
  }

  /**
   * The losses for these objects.
   *
   * @param nodes all Nodes of the cluster
   * @param pods all its Pods
   * @param pool the name of the NodePool
   * @param spares how many free machines may replace lost machines
   */
  public static Losses of(List<Node> nodes, List<Pod> pods, String pool, int spares) {
    return new Losses(nodes, pods, pool, spares);
  }

  /** How many Nodes the pool has. */
  public int nodes() {
    return ofPool.size();
  }

  /** The Nodes of the pool, by rack; only Nodes with a label for it. */
  public SortedMap<String, List<String>> racks() {
    return new TreeMap<>(racks);
  }

  /** The loss of this number of Nodes of the pool: those with the highest requests first. */
  public Loss ofNodes(int count) {
    return of(ofPool.subList(0, Math.min(count, ofPool.size())));
  }

  /** The loss of these Nodes. */
  public Loss of(Collection<String> lost) {
    List<NodeView> left = new ArrayList<>();
    nodes.forEach((name, view) -> {
      if (!lost.contains(name)) {
        left.add(view);
      }
    });
    Map<String, Map<String, Long>> used = new HashMap<>();
    left.forEach(node ->
        pods.getOrDefault(node.name(), List.of())
            .forEach(
                pod -> Placement.count(used, node.name(), Placement.requests(pod.getSpec()), 1)));
    Placement placement = new Placement(left, used);
    List<Pod> without =
        lost.stream()
            .flatMap(name -> pods.getOrDefault(name, List.of()).stream())
            .filter(pod -> !isOfTheNode(pod))
            .sorted(
                Comparator.comparingInt((Pod pod) -> -priority(pod))
                    .thenComparing(pod -> workload(pod))
                    .thenComparing(pod -> pod.getMetadata().getName()))
            .filter(pod -> !isPlaced(placement, pod))
            .toList();
    List<String> replaced = lost.stream().sorted().limit(spares).toList();
    replaced.stream()
        .flatMap(name -> Optional.ofNullable(nodes.get(name)).stream())
        .map(view -> view.named(view.name()))
        .forEach(left::add);
    List<Pod> still = without.stream().filter(pod -> !isPlaced(placement, pod)).toList();
    return new Loss(byWorkload(without), byWorkload(still));
  }

  /** A Pod without an owner is not created again, so that it has no place. */
  private static boolean isPlaced(Placement placement, Pod pod) {
    return owner(pod).isPresent()
        && placement.place(pod.getSpec(), Placement.requests(pod.getSpec())).isPresent();
  }

  private static SortedMap<String, Integer> byWorkload(List<Pod> pods) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    pods.forEach(pod -> counts.merge(workload(pod), 1, Integer::sum));
    return counts;
  }

  private long requestedGpus(String node) {
    return pods.getOrDefault(node, List.of()).stream()
        .filter(pod -> !isOfTheNode(pod))
        .mapToLong(pod -> Placement.gpus(Placement.requests(pod.getSpec())))
        .sum();
  }

  private static boolean runs(Pod pod) {
    String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
    return pod.getSpec().getNodeName() != null && !OVER.contains(phase);
  }

  private static boolean isOfTheNode(Pod pod) {
    return owner(pod).filter(each -> OF_THE_NODE.contains(each.getKind())).isPresent();
  }

  private static Optional<OwnerReference> owner(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(each -> Boolean.TRUE.equals(each.getController()))
        .findFirst();
  }

  private static int priority(Pod pod) {
    return Objects.requireNonNullElse(pod.getSpec().getPriority(), 0);
  }

  /** The Namespace and name of a Pod's owner; for a ReplicaSet, of its Deployment. */
  private static String workload(Pod pod) {
    String namespace = pod.getMetadata().getNamespace() + "/";
    Optional<OwnerReference> owner = owner(pod);
    if (owner.isEmpty()) {
      return namespace + pod.getMetadata().getName();
    }
    String hash =
        Optional.ofNullable(pod.getMetadata().getLabels())
            .orElse(Map.of())
            .getOrDefault("pod-template-hash", "");
    String name = owner.get().getName();
    return namespace
        + (!hash.isEmpty() && name.endsWith("-" + hash)
            ? name.substring(0, name.length() - hash.length() - 1)
            : name);
  }

  private static String label(Node node, NodeLabels label) {
    return Optional.ofNullable(node.getMetadata().getLabels())
        .orElse(Map.of())
        .getOrDefault(label.key(), "");
  }
}
