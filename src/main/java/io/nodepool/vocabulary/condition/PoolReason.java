package io.nodepool.vocabulary.condition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A reason of a condition of a NodePool (contract §4). A reason determines its condition and the
 * condition's status, so that neither can contradict it.
 */
public sealed interface PoolReason
    permits ValidatedReason,
        CapacityReason,
        QuotaReason,
        AtTargetReason,
        NodesRemovedReason,
        NodeReconfigurationReason,
        RepairsHeldReason,
        AcceptedReason,
        AllocatedReason,
        MetadataSyncedReason,
        SufficientCapacityReason {

  /**
   * The properties of a reason.
   *
   * @param condition the condition that may have it
   * @param word the reason on the wire; unique within its condition
   * @param status the status that the condition has with it
   * @param meaning what it reports about the pool
   * @param message the message of the real service for it; empty if none is known
   */
  record Facts(
      PoolCondition condition,
      String word,
      ConditionStatus status,
      String meaning,
      Optional<String> message) {
    /**
     * The properties of a reason.
     *
     * @param message the message of the real service for it, if one is known
     */
    Facts(
        PoolCondition condition,
        String word,
        ConditionStatus status,
        String meaning,
        String... message) {
      this(condition, word, status, meaning, Stream.of(message).findFirst());
    }
  }

  /** The properties of this reason. */
  Facts facts();

  /** The condition that may have this reason. */
  default PoolCondition condition() {
    return facts().condition();
  }

  /** The reason on the wire; unique within its condition. */
  default String word() {
    return facts().word();
  }

  /** The status that the condition has with this reason. */
  default ConditionStatus status() {
    return facts().status();
  }

  /** What the reason reports about the pool. */
  default String meaning() {
    return facts().meaning();
  }

  /** The message of the real service for this reason; empty if none is known. */
  default Optional<String> message() {
    return facts().message();
  }

  /** Every reason, by condition in the order of {@link PoolCondition}. */
  static List<PoolReason> all() {
    return Stream.of(PoolCondition.values()).flatMap(condition -> of(condition).stream()).toList();
  }

  /** The reasons that a condition may have. */
  static List<PoolReason> of(PoolCondition condition) {
    return switch (condition) {
      case VALIDATED -> List.of(ValidatedReason.values());
      case CAPACITY -> List.of(CapacityReason.values());
      case QUOTA -> List.of(QuotaReason.values());
      case AT_TARGET -> List.of(AtTargetReason.values());
      case NODES_REMOVED -> List.of(NodesRemovedReason.values());
      case NODE_RECONFIGURATION_REQUIRED -> List.of(NodeReconfigurationReason.values());
      case REPAIRS_HELD -> List.of(RepairsHeldReason.values());
      case ACCEPTED -> List.of(AcceptedReason.values());
      case ALLOCATED -> List.of(AllocatedReason.values());
      case METADATA_SYNCED -> List.of(MetadataSyncedReason.values());
      case SUFFICIENT_CAPACITY -> List.of(SufficientCapacityReason.values());
    };
  }
}
