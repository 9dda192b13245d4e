package io.nodepool.model;

import io.nodepool.vocabulary.ConditionStatus;
import io.nodepool.vocabulary.PoolCondition;
import io.nodepool.vocabulary.PoolReason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A pool's status, as published or to be published: counts and conditions, never anything that
 * grows with the pool.
 *
 * @param observedGeneration the generation of the spec that this status speaks of
 * @param targetNodes what the spec asks for, in Nodes
 * @param racks the same in racks; empty for types that are given out singly
 * @param removal the Nodes that are being removed
 * @param nodeProfile the active configuration, or empty text before there is one
 * @param nodeMetadata fingerprint of the metadata that Nodes are being brought to, or empty text
 *     before anything was published
 * @param events what the pool's Events depend on besides
 */
public record PoolStatus(
    long observedGeneration,
    int targetNodes,
    int currentNodes,
    int inProgress,
    int queuedNodes,
    Optional<RackCounts> racks,
    RemovalBatch removal,
    String nodeProfile,
    String nodeMetadata,
    Optional<Growth> growth,
    Map<PoolCondition, Condition> conditions,
    EventState events) {
  /** The status of a pool that nobody has looked at yet. */
  public static final PoolStatus NONE =
      new PoolStatus(
          0, 0, 0, 0, 0, Optional.empty(), RemovalBatch.NONE, "", "", Optional.empty(), Map.of());

  /** A status that no Event depends on more than on what is given here. */
  public PoolStatus(
      long observedGeneration,
      int targetNodes,
      int currentNodes,
      int inProgress,
      int queuedNodes,
      Optional<RackCounts> racks,
      RemovalBatch removal,
      String nodeProfile,
      String nodeMetadata,
      Optional<Growth> growth,
      Map<PoolCondition, Condition> conditions) {
    this(
        observedGeneration,
        targetNodes,
        currentNodes,
        inProgress,
        queuedNodes,
        racks,
        removal,
        nodeProfile,
        nodeMetadata,
        growth,
        conditions,
        EventState.NONE);
  }

  public PoolStatus {
    EnumMap<PoolCondition, Condition> ordered = new EnumMap<>(PoolCondition.class);
    ordered.putAll(conditions);
    conditions = Collections.unmodifiableMap(ordered);
  }

  /** The condition of this type, if it is set. */
  public Optional<Condition> condition(PoolCondition type) {
    return Optional.ofNullable(conditions.get(type));
  }

  /** What is known of a condition, or was known before it became Unknown. */
  public Optional<PoolReason> known(PoolCondition type) {
    Optional<PoolReason> reason = condition(type).map(Condition::reason);
    return reason.filter(each -> each.status() == ConditionStatus.UNKNOWN).isPresent()
        ? Optional.ofNullable(events.lastKnown().get(type))
        : reason;
  }

  /** This status with another growth request. */
  public PoolStatus withGrowth(Optional<Growth> next) {
    return with(next, conditions);
  }

  /** This status with other conditions. */
  public PoolStatus withConditions(Map<PoolCondition, Condition> next) {
    return with(growth, next);
  }

  private PoolStatus with(Optional<Growth> nextGrowth, Map<PoolCondition, Condition> next) {
    return new PoolStatus(
        observedGeneration,
        targetNodes,
        currentNodes,
        inProgress,
        queuedNodes,
        racks,
        removal,
        nodeProfile,
        nodeMetadata,
        nextGrowth,
        next,
        events);
  }

  /** Nodes held: assigned or registered. */
  public int held() {
    return currentNodes + inProgress;
  }
}
