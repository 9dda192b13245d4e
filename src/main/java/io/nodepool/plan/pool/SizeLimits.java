package io.nodepool.plan.pool;

import io.nodepool.model.pool.PoolSpec;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Checks the numbers of a spec. The API server rejects invalid numbers; this check finds them in
 * objects that were stored before the API server had the rules.
 */
final class SizeLimits {
  private SizeLimits() {}

  /** The problem with the numbers and the valid range; empty if they are valid. */
  static Optional<String> problem(PoolSpec.Size size) {
    if (size.targetNodes().isPresent() == size.targetRacks().isPresent()) {
      return Optional.of("The spec must have exactly one of targetNodes and targetRacks.");
    }
    return beyond("targetNodes", size.targetNodes(), PoolSpec.MOST_NODES)
        .or(() -> beyond("targetRacks", size.targetRacks(), PoolSpec.MOST_RACKS))
        .or(() -> beyond("minNodes", OptionalInt.of(size.minNodes()), PoolSpec.MOST_NODES))
        .or(() -> beyond("maxNodes", OptionalInt.of(size.maxNodes()), PoolSpec.MOST_NODES))
        .or(() -> crossed(size));
  }

  private static Optional<String> beyond(String field, OptionalInt value, int most) {
    return value.isEmpty() || (value.getAsInt() >= 0 && value.getAsInt() <= most)
        ? Optional.empty()
        : Optional.of(
            "spec.%s is %d; must be from 0 to %d.".formatted(field, value.getAsInt(), most));
  }

  /**
   * Reports bounds of the autoscaler that no target can meet. Without autoscaling the bounds have
   * no effect.
   */
  private static Optional<String> crossed(PoolSpec.Size size) {
    return size.autoscaling() && size.maxNodes() > 0 && size.minNodes() > size.maxNodes()
        ? Optional.of(
            "spec.minNodes is %d and spec.maxNodes %d; with autoscaling, minNodes must be at most maxNodes."
                .formatted(size.minNodes(), size.maxNodes()))
        : Optional.empty();
  }
}
