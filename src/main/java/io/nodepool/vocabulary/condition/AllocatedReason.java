package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.NotActedOn;

/** The reasons of the condition Allocated of the oldest reference (T3, decision D245). */
public enum AllocatedReason implements PoolCondition.PoolReason {
  COMPLETE(
      ConditionStatus.TRUE,
      "The pool has exactly its target number of Nodes: AtTarget is TargetMet."),
  PENDING_DELETE(
      ConditionStatus.FALSE, "The pool is being deleted, and its Nodes are being removed."),
  OVER_TARGET(ConditionStatus.FALSE, "The pool has more Nodes than its target."),
  POLICY_VIOLATION(
      ConditionStatus.FALSE,
      "The pool has fewer Nodes than its target, because Accepted is PolicyViolation."),
  UNDER_TARGET(
      ConditionStatus.FALSE, "The pool has fewer Nodes than its target for another cause."),
  INTERNAL_ERROR(ConditionStatus.UNKNOWN, "AtTarget is InternalError; the message says why."),
  /** Never reported: the Nodes are counted in every plan, or InternalError states why not. */
  @NotActedOn
  UNKNOWN(ConditionStatus.UNKNOWN, "The status of the pool is not known.");

  private final Facts facts;

  AllocatedReason(ConditionStatus status, String meaning) {
    this.facts = new Facts(PoolCondition.ALLOCATED, status, meaning);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
