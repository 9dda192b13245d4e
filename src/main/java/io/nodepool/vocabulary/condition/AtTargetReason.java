package io.nodepool.vocabulary.condition;

import java.util.Optional;

/** The reasons of the condition AtTarget (contract §4, decision 3). */
public enum AtTargetReason implements PoolReason {
  TARGET_MET(
      "TargetMet",
      ConditionStatus.TRUE,
      "The pool has exactly its target number of Nodes.",
      Optional.of("NodePool has reached its target node count.")),
  PENDING_DELETE(
      "PendingDelete",
      ConditionStatus.FALSE,
      "The pool is being deleted, and its Nodes are being removed.",
      Optional.empty()),
  OVER_TARGET(
      "OverTarget",
      ConditionStatus.FALSE,
      "The pool has more Nodes than its target; the surplus is removed as the scale-down strategy allows.",
      Optional.empty()),
  UNDER_TARGET(
      "UnderTarget",
      ConditionStatus.FALSE,
      "The pool has fewer Nodes than its target; the missing ones are added as quota and capacity allow.",
      Optional.empty()),
  INTERNAL_ERROR(
      "InternalError",
      ConditionStatus.UNKNOWN,
      "The API server does not allow the Nodes that the pool's spec defines, or a machine of the pool cannot be read; the message says which.",
      Optional.empty());

  private final Facts facts;

  AtTargetReason(String word, ConditionStatus status, String meaning, Optional<String> message) {
    this.facts = new Facts(PoolCondition.AT_TARGET, word, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
