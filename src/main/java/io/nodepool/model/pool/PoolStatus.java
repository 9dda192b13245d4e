package io.nodepool.model.pool;

import io.nodepool.model.node.ReportedState;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The status of a pool, as published or to publish: counts and conditions, nothing that grows with
 * the pool.
 *
 * @param observedGeneration the generation of the spec that this status reports on
 * @param counts the counts of its Nodes
 * @param removal the Nodes that are being removed
 * @param failedReboots the Nodes whose machines did not come back from their reboots
 * @param repairs the repairs of its machines
 * @param configuration the configurations of its Nodes
 * @param nodeMetadata fingerprint of the metadata that its Nodes are being updated to; empty text
 *     before anything was published
 * @param events the state that only the pool's Events depend on
 * @param summary the most important fact of all these; empty before it is computed
 */
@RecordBuilder
public record PoolStatus(
    long observedGeneration,
    NodeCounts counts,
    RemovalBatch removal,
    FailedReboots failedReboots,
    RepairState repairs,
    ConfigurationState configuration,
    String nodeMetadata,
    Optional<Growth> growth,
    Map<PoolCondition, Condition> conditions,
    EventState events,
    Optional<Summary> summary)
    implements PoolStatusCopy.With {
  /** The status of a pool that has not been planned yet. */
  public static final PoolStatus NONE =
      new PoolStatus(
          0,
          NodeCounts.NONE,
          RemovalBatch.NONE,
          FailedReboots.NONE,
          RepairState.NONE,
          ConfigurationState.NONE,
          "",
          Optional.empty(),
          Map.of(),
          EventState.NONE,
          Optional.empty());

  /**
   * The counts of a pool of a rack type (contract §3).
   *
   * @param target racks that it wants
   * @param current racks all of whose Nodes are registered
   * @param queued racks with a queued Node
   */
  public record RackCounts(int target, int current, int queued) {}

  /**
   * The counts of a pool's Nodes.
   *
   * @param target the target of the spec, in Nodes
   * @param current registered Nodes
   * @param inProgress held machines that are not registered Nodes
   * @param queued Nodes that are granted and have no machine yet
   * @param racks the counts in racks; empty for types that are allocated singly
   * @param states the Nodes in each reported state that any of them is in
   */
  public record NodeCounts(
      int target,
      int current,
      int inProgress,
      int queued,
      Optional<RackCounts> racks,
      Map<ReportedState, NodesInState> states) {
    /** No Nodes. */
    public static final NodeCounts NONE = new NodeCounts(0, 0, 0, 0, Optional.empty(), Map.of());

    public NodeCounts {
      states = Collections.unmodifiableMap(new TreeMap<>(states));
    }
  }

  public PoolStatus {
    conditions = Collections.unmodifiableMap(new TreeMap<>(conditions));
  }

  /**
   * This status on the pool with this UID and these commands: the configurations and the grant of
   * another pool are void, and so are the configurations from before the commands.
   */
  PoolStatus on(String poolUid, ConfigurationCommands commands) {
    if (!configuration.isOf(poolUid)) {
      return withConfiguration(ConfigurationState.NONE).withGrowth(Optional.empty());
    }
    boolean older =
        configuration.handled().strategy().isPresent()
            && commands.isOlder(configuration.handled().command());
    return older ? withConfiguration(ConfigurationState.NONE) : this;
  }

  /** The condition of this type, if it is set. */
  public Optional<Condition> condition(PoolCondition type) {
    return Optional.ofNullable(conditions.get(type));
  }

  /** The reason of a condition; while the condition is Unknown, its reason before that. */
  public Optional<PoolReason> known(PoolCondition type) {
    Optional<PoolReason> reason = condition(type).map(Condition::reason);
    return reason.filter(each -> each.status() == ConditionStatus.UNKNOWN).isPresent()
        ? Optional.ofNullable(events.lastKnown().get(type))
        : reason;
  }

  /** The number of registered Nodes. */
  public int currentNodes() {
    return counts.current();
  }

  /** The number of Nodes held: assigned or registered. */
  public int held() {
    return counts.current() + counts.inProgress();
  }

  /** The active configuration, or empty text before there is one. */
  public String nodeProfile() {
    return configuration.profile();
  }
}
