package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolReason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A pool's status, as published or to be published: counts and conditions, never anything that
 * grows with the pool.
 *
 * @param observedGeneration the generation of the spec that this status speaks of
 * @param counts its Nodes, counted
 * @param removal the Nodes that are being removed
 * @param rollout what its Nodes are being brought to
 * @param events what the pool's Events depend on besides
 */
public record PoolStatus(
    long observedGeneration,
    NodeCounts counts,
    RemovalBatch removal,
    Rollout rollout,
    Optional<Growth> growth,
    Map<PoolCondition, Condition> conditions,
    EventState events) {
  /** The status of a pool that nobody has looked at yet. */
  public static final PoolStatus NONE =
      new PoolStatus(
          0,
          NodeCounts.NONE,
          RemovalBatch.NONE,
          Rollout.NONE,
          Optional.empty(),
          Map.of(),
          EventState.NONE);

  /**
   * A pool's Nodes, counted.
   *
   * @param target what the spec asks for, in Nodes
   * @param current those that are registered
   * @param inProgress machines that are held and are not registered Nodes
   * @param queued those that it waits for
   * @param racks the same in racks; empty for types that are given out singly
   */
  public record NodeCounts(
      int target, int current, int inProgress, int queued, Optional<RackCounts> racks) {
    /** Nothing asked for, nothing held. */
    public static final NodeCounts NONE = new NodeCounts(0, 0, 0, 0, Optional.empty());
  }

  /**
   * What a pool's Nodes are being brought to.
   *
   * @param profile the active configuration, or empty text before there is one
   * @param metadata fingerprint of the metadata, or empty text before anything was published
   */
  public record Rollout(String profile, String metadata) {
    /** Nothing yet. */
    public static final Rollout NONE = new Rollout("", "");
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

  /** Registered Nodes. */
  public int currentNodes() {
    return counts.current();
  }

  /** Nodes held: assigned or registered. */
  public int held() {
    return counts.current() + counts.inProgress();
  }

  /** The active configuration, or empty text before there is one. */
  public String nodeProfile() {
    return rollout.profile();
  }

  /** Fingerprint of the metadata that Nodes are being brought to, or empty text before any. */
  public String nodeMetadata() {
    return rollout.metadata();
  }

  /** This status of another generation of the spec. */
  public PoolStatus withObservedGeneration(long next) {
    return new PoolStatus(next, counts, removal, rollout, growth, conditions, events);
  }

  /** This status with other counts. */
  public PoolStatus withCounts(NodeCounts next) {
    return new PoolStatus(observedGeneration, next, removal, rollout, growth, conditions, events);
  }

  /** This status with something else that Nodes are brought to. */
  public PoolStatus withRollout(Rollout next) {
    return new PoolStatus(observedGeneration, counts, removal, next, growth, conditions, events);
  }

  /** This status with another growth request. */
  public PoolStatus withGrowth(Optional<Growth> next) {
    return new PoolStatus(observedGeneration, counts, removal, rollout, next, conditions, events);
  }

  /** This status with other conditions. */
  public PoolStatus withConditions(Map<PoolCondition, Condition> next) {
    return new PoolStatus(observedGeneration, counts, removal, rollout, growth, next, events);
  }
}
