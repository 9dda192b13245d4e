package io.nodepool.cli.view;

import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.StatusCondition;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A pool, as its row shows it.
 *
 * @param fresh whether the status reports the current generation of the spec
 */
public record PoolView(
    String name,
    String instanceType,
    int target,
    int queued,
    int inProgress,
    int current,
    Map<String, ConditionView> conditions,
    boolean fresh) {

  /** A condition of the pool. */
  public record ConditionView(String type, String status, String reason, String message) {}

  private static final int NODES_OF_A_RACK = 18;

  /** Conditions that are not in their good state during normal operation. */
  private static final Set<String> WORK =
      Set.of(
          PoolCondition.AT_TARGET.type(),
          PoolCondition.NODES_REMOVED.type(),
          PoolCondition.NODE_RECONFIGURATION_REQUIRED.type());

  public PoolView {
    conditions = Map.copyOf(conditions);
  }

  /** The view of a pool. */
  public static PoolView of(NodePool pool) {
    NodePoolSpec spec = pool.getSpec();
    NodePoolStatus status = Objects.requireNonNullElseGet(pool.getStatus(), NodePoolStatus::new);
    Map<String, ConditionView> conditions = new HashMap<>();
    for (StatusCondition each : status.conditions) {
      conditions.put(
          each.type,
          new ConditionView(
              each.type,
              each.status,
              ObjectFacts.orEmpty(each.reason),
              ObjectFacts.orEmpty(each.message)));
    }
    return new PoolView(
        pool.getMetadata().getName(),
        spec.instanceType,
        spec.targetRacks == null
            ? ObjectFacts.orZero(spec.targetNodes)
            : NODES_OF_A_RACK * spec.targetRacks,
        ObjectFacts.orZero(status.queuedNodes),
        ObjectFacts.orZero(status.inProgress),
        ObjectFacts.orZero(status.currentNodes),
        conditions,
        Objects.equals(status.observedGeneration, pool.getMetadata().getGeneration()));
  }

  /** The reason of a condition, or an empty text while it is not set. */
  private String reason(PoolCondition type) {
    return condition(type).map(ConditionView::reason).orElse("");
  }

  /** Whether the status reports the number of Nodes that the current spec requests. */
  public boolean isAtTarget() {
    return fresh && is(PoolCondition.AT_TARGET, "True");
  }

  /** The condition because of which the pool cannot reach its target without a change. */
  public Optional<ConditionView> obstacle() {
    return Stream.of(PoolCondition.VALIDATED, PoolCondition.QUOTA)
        .filter(type -> fresh && !isAtTarget() && is(type, "False"))
        .flatMap(type -> condition(type).stream())
        .findFirst();
  }

  /** The conditions that are not in their good state, in their order. */
  public List<ConditionView> disorders() {
    return Arrays.stream(PoolCondition.values())
        .filter(PoolCondition::isCurrent)
        .filter(type -> !is(type, good(type)))
        .flatMap(type -> condition(type).stream())
        .toList();
  }

  /** Whether a condition reports a problem beyond scaling and pending reboots. */
  public boolean isInTrouble() {
    return disorders().stream().anyMatch(PoolView::isTrouble);
  }

  /**
   * Whether a condition that is not in its good state reports a problem beyond scaling and pending
   * reboots.
   */
  static boolean isTrouble(ConditionView condition) {
    return condition.status().equals("Unknown") || !WORK.contains(condition.type());
  }

  private static String good(PoolCondition type) {
    return switch (type) {
      case VALIDATED,
          CAPACITY,
          QUOTA,
          AT_TARGET,
          NODES_REMOVED,
          ACCEPTED,
          ALLOCATED,
          METADATA_SYNCED,
          SUFFICIENT_CAPACITY ->
          "True";
      case NODE_RECONFIGURATION_REQUIRED, REPAIRS_HELD -> "False";
    };
  }

  private boolean is(PoolCondition type, String status) {
    return condition(type).filter(condition -> condition.status().equals(status)).isPresent();
  }

  private Optional<ConditionView> condition(PoolCondition type) {
    return Optional.ofNullable(conditions.get(type.type()));
  }

  /** The pool in one line, for output that cannot be redrawn. */
  public String line() {
    return "%s: target %d, queued %d, in progress %d, current %d; %s"
        .formatted(
            name,
            target,
            queued,
            inProgress,
            current,
            conditions.isEmpty()
                ? "not observed yet"
                : "Validated %s, Capacity %s, Quota %s, AtTarget %s"
                    .formatted(
                        reason(PoolCondition.VALIDATED),
                        reason(PoolCondition.CAPACITY),
                        reason(PoolCondition.QUOTA),
                        reason(PoolCondition.AT_TARGET)));
  }

  /** The line for pools that are all at their targets. */
  public static String reached(List<PoolView> pools, String time) {
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
