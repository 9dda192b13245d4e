package io.nodepool.kubernetes.convert.pod;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.Map;
import java.util.Optional;

/** Matches Pods with a selector, as Kubernetes does. */
public final class PodSelectors {
  private PodSelectors() {}

  /** Whether a Pod with these labels is selected; a selector without rules selects all. */
  public static boolean matches(LabelSelector selector, Map<String, String> labels) {
    Map<String, String> exact = Optional.ofNullable(selector.getMatchLabels()).orElse(Map.of());
    return labels.entrySet().containsAll(exact.entrySet())
        && selector.getMatchExpressions().stream().allMatch(each -> matches(each, labels));
  }

  /** The API server refuses other operators. */
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
