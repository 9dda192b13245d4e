package io.nodepool.vocabulary;

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

  /** The condition that may carry this reason. */
  PoolCondition condition();

  /** The reason on the wire; unique within its condition. */
  String word();

  /** The status that the condition has with this reason. */
  ConditionStatus status();

  /** What the reason says about the pool. */
  String meaning();

  /**
   * The message that clients of the real service see with this reason; empty where none is known.
   */
  Optional<String> message();

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
