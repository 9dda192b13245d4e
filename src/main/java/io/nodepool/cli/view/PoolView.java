package io.nodepool.cli.view;

import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.StatusCondition;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SummaryReason;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A pool, as its row shows it.
 *
 * @param conditions its conditions, by type
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
    boolean fresh,
    SummaryView summary) {

  /** A condition of the pool. */
  public record ConditionView(String type, String status, String reason, String message) {}

  /** The most important fact about the pool: a word and a sentence; empty until it is known. */
  public record SummaryView(String reason, String message) {}

  private static final int NODES_OF_A_RACK = 18;

  /** Reasons in normal operation. */
  private static final Set<String> ORDINARY =
      Stream.of(
              SummaryReason.DELETING,
              SummaryReason.PAUSED,
              SummaryReason.ROLLING_OUT,
              SummaryReason.OBSERVING,
              SummaryReason.GROWING,
              SummaryReason.SHRINKING,
              SummaryReason.ROLLOUT_STOPPED,
              SummaryReason.REBOOT_PENDING,
              SummaryReason.READY)
          .map(SummaryReason::word)
          .collect(Collectors.toUnmodifiableSet());

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
        Objects.equals(status.observedGeneration, pool.getMetadata().getGeneration()),
        status.summary == null
            ? new SummaryView("", "")
            : new SummaryView(
                ObjectFacts.orEmpty(status.summary.reason),
                ObjectFacts.orEmpty(status.summary.message)));
  }

  /** Whether the status reports the number of Nodes that the current spec requests. */
  public boolean isAtTarget() {
    return fresh && is(PoolCondition.AT_TARGET, "True");
  }

  /** The condition that keeps the pool from its target until a user changes something. */
  public Optional<ConditionView> obstacle() {
    return Stream.of(PoolCondition.VALIDATED, PoolCondition.QUOTA)
        .filter(type -> fresh && !isAtTarget() && is(type, "False"))
        .flatMap(type -> condition(type).stream())
        .findFirst();
  }

  /** The conditions of the current reference, in their order. */
  List<ConditionView> inOrder() {
    return Arrays.stream(PoolCondition.values())
        .filter(PoolCondition::isCurrent)
        .flatMap(type -> condition(type).stream())
        .toList();
  }

  /** Whether the pool's summary is known and not Ready. */
  boolean isRemarkable() {
    return !summary.reason().isEmpty() && !summary.reason().equals(SummaryReason.READY.word());
  }

  /** Whether the pool has a problem that is not part of normal operation. */
  public boolean isInTrouble() {
    return isRemarkable() && !ORDINARY.contains(summary.reason());
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
            summary.reason().isEmpty()
                ? "not observed yet"
                : isRemarkable() ? summary.reason() + ": " + summary.message() : summary.reason());
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
