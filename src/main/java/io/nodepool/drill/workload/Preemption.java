package io.nodepool.drill.workload;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Pods of lower priority that end so that another Pod fits on their Node, chosen as the scheduler
 * of Kubernetes does: few Pods, of low priority, not protected by a budget if possible. Pure.
 *
 * @param victims the Pods that end
 */
record Preemption(String node, List<Candidate> victims) {
  /**
   * A Pod that may end.
   *
   * @param since when it began to wait for its Node
   * @param isProtected whether a budget forbids its end now
   * @param requests its requests, by resource
   */
  record Candidate(
      String uid, Instant since, int priority, boolean isProtected, Map<String, Long> requests) {}

  /** The worst loss first: protected Pods, then by priority. */
  private static final Comparator<Candidate> WORST_FIRST =
      Comparator.comparingInt((Candidate each) -> each.isProtected() ? 0 : 1)
          .thenComparingInt(each -> -each.priority())
          .thenComparing(Candidate::since)
          .thenComparing(Candidate::uid);

  private static final Comparator<Preemption> BEST =
      Comparator.comparingLong(Preemption::violations)
          .thenComparingInt(Preemption::highest)
          .thenComparingLong(Preemption::sum)
          .thenComparingInt(each -> each.victims.size())
          .thenComparing(Preemption::node);

  Preemption {
    victims = List.copyOf(victims);
  }

  /**
   * The best choice; empty if there is none.
   *
   * @param used the requests of the Pods on each Node
   * @param reserved the amounts kept free there for other Pods
   * @param lower the Pods of lower priority, by Node; only Nodes where the Pod may run
   * @param requests the requests of the Pod
   */
  static Optional<Preemption> best(
      SortedMap<String, NodeView> nodes,
      Map<String, Map<String, Long>> used,
      Map<String, Map<String, Long>> reserved,
      Map<String, List<Candidate>> lower,
      Map<String, Long> requests) {
    return nodes.entrySet().stream()
        .flatMap(each ->
            on(
                each.getValue(),
                used,
                reserved,
                lower.getOrDefault(each.getKey(), List.of()),
                requests)
                .stream())
        .min(BEST);
  }

  /** The Pod must fit without all of them; then as many as possible stay, worst loss first. */
  private static Optional<Preemption> on(
      NodeView node,
      Map<String, Map<String, Long>> used,
      Map<String, Map<String, Long>> reserved,
      List<Candidate> lower,
      Map<String, Long> requests) {
    if (lower.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Map<String, Long>> there = new HashMap<>();
    there.put(node.name(), new HashMap<>(used.getOrDefault(node.name(), Map.of())));
    Placement placement = new Placement(List.of(node), there, reserved);
    lower.forEach(each -> Placement.count(there, node.name(), each.requests(), -1));
    if (!placement.fits(node, requests)) {
      return Optional.empty();
    }
    List<Candidate> victims = new ArrayList<>();
    for (Candidate each : lower.stream().sorted(WORST_FIRST).toList()) {
      Map<String, Long> own = each.requests();
      Placement.count(there, node.name(), own, 1);
      if (!placement.fits(node, requests)) {
        Placement.count(there, node.name(), own, -1);
        victims.add(each);
      }
    }
    return Optional.of(new Preemption(node.name(), victims));
  }

  private long violations() {
    return victims.stream().filter(Candidate::isProtected).count();
  }

  private int highest() {
    return victims.stream().mapToInt(Candidate::priority).max().orElse(Integer.MIN_VALUE);
  }

  private long sum() {
    return victims.stream().mapToLong(each -> each.priority() + (1L << 31)).sum();
  }
}
