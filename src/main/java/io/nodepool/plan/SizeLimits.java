package io.nodepool.plan;

import io.nodepool.model.PoolSpec;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Are the numbers of a spec ones that can be counted with? The API server refuses others; objects
 * that it stored before it had the rules are found here.
 */
final class SizeLimits {
  private SizeLimits() {}

  /** What is wrong with the numbers, and what would be right. */
  static Optional<String> problem(PoolSpec spec) {
    if (spec.targetNodes().isPresent() == spec.targetRacks().isPresent()) {
      return Optional.of("The spec must have exactly one of targetNodes and targetRacks.");
    }
    return beyond("targetNodes", spec.targetNodes(), PoolSpec.MOST_NODES)
        .or(() -> beyond("targetRacks", spec.targetRacks(), PoolSpec.MOST_RACKS))
        .or(() -> beyond("minNodes", OptionalInt.of(spec.minNodes()), PoolSpec.MOST_NODES))
        .or(() -> beyond("maxNodes", OptionalInt.of(spec.maxNodes()), PoolSpec.MOST_NODES))
        .or(() -> crossed(spec));
  }

  private static Optional<String> beyond(String field, OptionalInt value, int most) {
    return value.isEmpty() || (value.getAsInt() >= 0 && value.getAsInt() <= most)
        ? Optional.empty()
        : Optional.of(
            "spec.%s is %d; must be from 0 to %d.".formatted(field, value.getAsInt(), most));
  }

  /** Bounds of the autoscaler that no target can meet; without autoscaling they have no effect. */
  private static Optional<String> crossed(PoolSpec spec) {
    return spec.autoscaling() && spec.maxNodes() > 0 && spec.minNodes() > spec.maxNodes()
        ? Optional.of(
            "spec.minNodes is %d and spec.maxNodes %d; with autoscaling, minNodes must be at most maxNodes."
                .formatted(spec.minNodes(), spec.maxNodes()))
        : Optional.empty();
  }
}
