package io.nodepool.vocabulary.condition;

/**
 * The reasons of the condition NodesRemoved (contract §4), which a pool has only while it is being
 * deleted.
 */
public enum NodesRemovedReason implements PoolCondition.PoolReason {
  COMPLETE(
      ConditionStatus.TRUE,
      "The pool has no Node and no machine left; the object is deleted next."),
  PENDING(ConditionStatus.FALSE, "Nodes of the pool are still being removed."),
  INTERNAL_ERROR(ConditionStatus.UNKNOWN, "The removal of a Node failed; it is retried.");

  private final Facts facts;

  NodesRemovedReason(ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.NODES_REMOVED, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
