package io.nodepool.plugin.request;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The Pods whose eviction a PodDisruptionBudget does not allow at present. */
final class GuardedPods {
  private GuardedPods() {}

  /** Their UIDs. */
  static Set<String> uids(List<HasMetadata> objects) {
    List<PodDisruptionBudget> used =
        objects.stream()
            .filter(PodDisruptionBudget.class::isInstance)
            .map(PodDisruptionBudget.class::cast)
            .filter(GuardedPods::isUsed)
            .toList();
    return objects.stream()
        .filter(Pod.class::isInstance)
        .filter(pod -> used.stream().anyMatch(budget -> protects(budget, pod)))
        .map(pod -> pod.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  private static boolean isUsed(PodDisruptionBudget budget) {
    return budget.getStatus() != null
        && Integer.valueOf(0).equals(budget.getStatus().getDisruptionsAllowed());
  }

  private static boolean protects(PodDisruptionBudget budget, HasMetadata pod) {
    LabelSelector selector = budget.getSpec() == null ? null : budget.getSpec().getSelector();
    Map<String, String> labels =
        Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
    return selector != null
        && budget.getMetadata().getNamespace().equals(pod.getMetadata().getNamespace())
        && labels
            .entrySet()
            .containsAll(Optional.ofNullable(selector.getMatchLabels()).orElse(Map.of()).entrySet())
        && selector.getMatchExpressions().stream().allMatch(each -> matches(each, labels));
  }

  private static boolean matches(LabelSelectorRequirement rule, Map<String, String> labels) {
    String value = labels.get(rule.getKey());
    return switch (rule.getOperator()) {
      case "In" -> value != null && rule.getValues().contains(value);
      case "NotIn" -> value == null || !rule.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      default -> true;
    };
  }
}
