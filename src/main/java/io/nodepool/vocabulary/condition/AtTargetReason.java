package io.nodepool.vocabulary.condition;

/** The reasons of the condition AtTarget (contract §4, decision D3). */
public enum AtTargetReason implements PoolCondition.PoolReason {
  TARGET_MET(
      ConditionStatus.TRUE,
      "The pool has exactly its target number of Nodes.",
      "NodePool has reached its target node count."),
  PENDING_DELETE(
      ConditionStatus.FALSE, "The pool is being deleted, and its Nodes are being removed."),
  OVER_TARGET(
      ConditionStatus.FALSE,
      "The pool has more Nodes than its target; the surplus is removed as the scale-down strategy allows."),
  UNDER_TARGET(
      ConditionStatus.FALSE,
      "The pool has fewer Nodes than its target; the missing ones are added as quota and capacity allow."),
  INTERNAL_ERROR(
      ConditionStatus.UNKNOWN,
      "The API server does not allow the Nodes that the pool's spec defines, or a machine of the pool cannot be read; the message says which.");

  private final Facts facts;

  AtTargetReason(ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.AT_TARGET, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
