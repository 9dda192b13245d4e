package io.nodepool.cli;

import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.StatusCondition;
import io.nodepool.vocabulary.PoolCondition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A pool as its row shows it.
 *
 * @param fresh whether the status speaks of the present spec
 */
record PoolView(
    String name,
    String instanceType,
    int target,
    int queued,
    int inProgress,
    int current,
    Map<String, Condition> conditions,
    boolean fresh) {

  /** A condition of the pool. */
  record Condition(String type, String status, String reason, String message) {}

  private static final int NODES_OF_A_RACK = 18;

  PoolView {
    conditions = Map.copyOf(conditions);
  }

  /** The view of a pool. */
  static PoolView of(NodePool pool) {
    NodePoolSpec spec = pool.getSpec();
    NodePoolStatus status = Objects.requireNonNullElseGet(pool.getStatus(), NodePoolStatus::new);
    Map<String, Condition> conditions = new HashMap<>();
    for (StatusCondition each : status.conditions) {
      conditions.put(
          each.type,
          new Condition(
              each.type,
              each.status,
              Objects.requireNonNullElse(each.reason, ""),
              Objects.requireNonNullElse(each.message, "")));
    }
    return new PoolView(
        pool.getMetadata().getName(),
        spec.instanceType,
        spec.targetRacks == null ? orZero(spec.targetNodes) : NODES_OF_A_RACK * spec.targetRacks,
        orZero(status.queuedNodes),
        orZero(status.inProgress),
        orZero(status.currentNodes),
        conditions,
        Objects.equals(status.observedGeneration, pool.getMetadata().getGeneration()));
  }

  private static int orZero(@Nullable Integer count) {
    return count == null ? 0 : count;
  }

  /** The reason of a condition, or empty text while it is not set. */
  String reason(PoolCondition type) {
    return Optional.ofNullable(conditions.get(type.type())).map(Condition::reason).orElse("");
  }

  /** Whether the pool is known to have as many Nodes as its present spec asks for. */
  boolean isAtTarget() {
    return fresh && is(PoolCondition.AT_TARGET, "True");
  }

  /** The condition for which the pool will not reach its target, however long one waits. */
  Optional<Condition> obstacle() {
    return Stream.of(PoolCondition.VALIDATED, PoolCondition.QUOTA)
        .filter(type -> fresh && !isAtTarget() && is(type, "False"))
        .map(type -> conditions.get(type.type()))
        .findFirst();
  }

  private boolean is(PoolCondition type, String status) {
    return Optional.ofNullable(conditions.get(type.type()))
        .filter(condition -> condition.status().equals(status))
        .isPresent();
  }

  /** What is said about several pools that are all at their target. */
  static String reached(List<PoolView> pools, String time) {
    return pools.size() == 1
        ? "NodePool %s is at its target of %s after %s."
            .formatted(pools.getFirst().name(), nodes(pools.getFirst().target()), time)
        : "All %d NodePools are at their targets, %s in all, after %s."
            .formatted(pools.size(), nodes(pools.stream().mapToInt(PoolView::target).sum()), time);
  }

  private static String nodes(int count) {
    return count == 1 ? "1 Node" : count + " Nodes";
  }
}
