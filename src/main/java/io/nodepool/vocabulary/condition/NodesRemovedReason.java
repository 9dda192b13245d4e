package io.nodepool.vocabulary.condition;

/**
 * The reasons of the condition NodesRemoved (contract §4), which a pool has only while it is being
 * deleted.
 */
public enum NodesRemovedReason implements PoolCondition.PoolReason {
  COMPLETE(
      "Complete",
      ConditionStatus.TRUE,
      "The pool has no Node and no machine left; the object is deleted next."),
  PENDING("Pending", ConditionStatus.FALSE, "Nodes of the pool are still being removed."),
  INTERNAL_ERROR(
      "InternalError", ConditionStatus.UNKNOWN, "The removal of a Node failed; it is retried.");

  private final Facts facts;

  NodesRemovedReason(String word, ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.NODES_REMOVED, word, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
