package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.SortedMap;

/**
 * A priority class of Pods.
 *
 * @param value Pods with a higher value are placed first
 * @param preempts whether Pods of lower values end for them
 * @param isDefault whether it applies to Pods without a class
 */
public record PodPriority(int value, boolean preempts, boolean isDefault) {
  private static final PodPriority NONE = new PodPriority(0, true, false);
  private static final String NEVER = "Never";

  /** The class of a manifest. */
  public static PodPriority of(int value, String policy, boolean isDefault) {
    return new PodPriority(value, !NEVER.equals(policy), isDefault);
  }

  /** The priority of a Pod, with these classes by name. */
  static PodPriority of(PodSpec spec, SortedMap<String, PodPriority> classes) {
    PodPriority own =
        spec.getPriorityClassName() == null
            ? classes.values().stream().filter(PodPriority::isDefault).findFirst().orElse(NONE)
            : classes.getOrDefault(spec.getPriorityClassName(), NONE);
    return NEVER.equals(spec.getPreemptionPolicy())
        ? new PodPriority(own.value, false, own.isDefault)
        : own;
  }
}
