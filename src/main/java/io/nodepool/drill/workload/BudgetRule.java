package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.nodepool.kubernetes.convert.pod.PodSelectors;
import java.util.Map;

/**
 * The PodDisruptionBudget of a manifest.
 *
 * @param selector its Pods
 * @param percent whether the number is a percentage
 * @param number how many Pods must be available, or may be unavailable
 * @param unavailable whether the number is the most that may be unavailable
 */
public record BudgetRule(
    String namespace,
    String name,
    LabelSelector selector,
    boolean percent,
    int number,
    boolean unavailable) {
  boolean protects(Map<String, String> labels) {
    return PodSelectors.matches(selector, labels);
  }

  /** How many of these Pods must be available; a percentage is rounded up, as in Kubernetes. */
  int least(int pods) {
    int count = percent ? (pods * number + 99) / 100 : number;
    return unavailable ? pods - count : count;
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
