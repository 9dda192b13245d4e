package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.SortedMap;

/**
 * What a priority class gives to its Pods.
 *
 * @param value those with a higher one are placed first
 * @param preempts whether Pods of lower values end for them
 * @param isDefault whether it is that of Pods without a class
 */
public record PodPriority(int value, boolean preempts, boolean isDefault) {
  private static final PodPriority NONE = new PodPriority(0, true, false);
  private static final String NEVER = "Never";

  /** A class as its manifest says. */
  public static PodPriority of(int value, String policy, boolean isDefault) {
    return new PodPriority(value, !NEVER.equals(policy), isDefault);
  }

  /** That of a Pod, among these classes by name. */
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
