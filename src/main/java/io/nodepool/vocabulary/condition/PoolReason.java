package io.nodepool.vocabulary.condition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A reason of a condition of a NodePool (the contract §4). A reason settles the condition it
 * belongs to and the condition's status, so that neither can contradict it.
 */
public sealed interface PoolReason
    permits ValidatedReason,
        CapacityReason,
        QuotaReason,
        AtTargetReason,
        NodesRemovedReason,
        NodeReconfigurationReason {

  /**
   * All that a reason settles.
   *
   * @param condition the condition that may carry it
   * @param word the reason on the wire; unique within its condition
   * @param status the status that the condition has with it
   * @param meaning what it says about the pool
   * @param message the message that clients of the real service see with it; empty where none is
   *     known
   */
  record Facts(
      PoolCondition condition,
      String word,
      ConditionStatus status,
      String meaning,
      Optional<String> message) {}

  /** All that this reason settles. */
  Facts facts();

  /** The condition that may carry this reason. */
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

  /** What the reason says about the pool. */
  default String meaning() {
    return facts().meaning();
  }

  /**
   * The message that clients of the real service see with this reason; empty where none is known.
   */
  default Optional<String> message() {
    return facts().message();
  }

  /** Every reason, by condition in the order of {@link PoolCondition}. */
  static List<PoolReason> all() {
    return Stream.of(PoolCondition.values()).flatMap(condition -> of(condition).stream()).toList();
  }

  /** The reasons that a condition may carry. */
  static List<PoolReason> of(PoolCondition condition) {
    return switch (condition) {
      case VALIDATED -> List.of(ValidatedReason.values());
      case CAPACITY -> List.of(CapacityReason.values());
      case QUOTA -> List.of(QuotaReason.values());
      case AT_TARGET -> List.of(AtTargetReason.values());
      case NODES_REMOVED -> List.of(NodesRemovedReason.values());
      case NODE_RECONFIGURATION_REQUIRED -> List.of(NodeReconfigurationReason.values());
    };
  }
}
