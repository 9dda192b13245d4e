package io.nodepool.model.node;

import java.util.Set;

/**
 * A PodDisruptionBudget.
 *
 * @param name with its Namespace
 * @param pods the UIDs of the Pods that it protects
 * @param allowed how many of them may be terminating at a time; at least 0
 */
public record PodBudget(String name, Set<String> pods, int allowed) {
  public PodBudget {
    pods = Set.copyOf(pods);
  }
}
