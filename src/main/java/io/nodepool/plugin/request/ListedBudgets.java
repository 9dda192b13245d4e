package io.nodepool.plugin.request;

import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.nodepool.kubernetes.convert.pod.PodSelectors;
import io.nodepool.model.node.PodBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The PodDisruptionBudgets of a list, with the Pods of the list that they protect. */
final class ListedBudgets {
  private ListedBudgets() {}

  /** The budgets whose controller has counted their Pods. */
  static List<PodBudget> of(List<HasMetadata> objects) {
    Map<String, List<Pod>> pods =
        listed(objects, Pod.class)
            .collect(Collectors.groupingBy(pod -> pod.getMetadata().getNamespace()));
    return listed(objects, PodDisruptionBudget.class)
        .flatMap(budget ->
            allowed(budget).stream()
                .map(most ->
                    of(
                        budget,
                        most,
                        pods.getOrDefault(budget.getMetadata().getNamespace(), List.of()))))
        .toList();
  }

  private static <T extends HasMetadata> Stream<T> listed(
      List<HasMetadata> objects, Class<T> type) {
    return objects.stream().filter(type::isInstance).map(type::cast);
  }

  /** How many Pods may be evicted now; negative while too many Pods terminate. */
  private static Optional<Integer> allowed(PodDisruptionBudget budget) {
    return Optional.ofNullable(budget.getStatus())
        .flatMap(status ->
            Optional.ofNullable(status.getDisruptionsAllowed())
                .map(allowed ->
                    allowed > 0
                        ? allowed
                        : Math.min(
                            0,
                            orZero(status.getCurrentHealthy())
                                - orZero(status.getDesiredHealthy()))));
  }

  /** The controller does not count Pods that terminate already. */
  private static PodBudget of(PodDisruptionBudget budget, int most, List<Pod> ofNamespace) {
    List<Pod> pods = ofNamespace.stream().filter(pod -> protects(budget, pod)).toList();
    long ending =
        pods.stream().filter(pod -> pod.getMetadata().getDeletionTimestamp() != null).count();
    return new PodBudget(
        budget.getMetadata().getNamespace() + "/" + budget.getMetadata().getName(),
        pods.stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet()),
        Math.max(0, most + (int) ending));
  }

  private static boolean protects(PodDisruptionBudget budget, Pod pod) {
    LabelSelector selector = budget.getSpec() == null ? null : budget.getSpec().getSelector();
    Map<String, String> labels =
        Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
    return selector != null && PodSelectors.matches(selector, labels);
  }
}
