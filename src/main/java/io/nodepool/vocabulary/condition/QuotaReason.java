package io.nodepool.vocabulary.condition;

/** The reasons of the condition Quota (contract §4). */
public enum QuotaReason implements PoolCondition.PoolReason {
  UNDER(
      ConditionStatus.TRUE,
      "The target is within the quota; exactly at the quota counts as within.",
      "NodePool is within instance type quota."),
  OVER(
      ConditionStatus.FALSE,
      "The target exceeds the quota. The whole growth waits; the pool keeps what it holds."),
  NOT_SET(
      ConditionStatus.FALSE,
      "The organisation has no quota for the instance type in the zone, or one of 0. The whole growth waits, unless the operator is configured to treat a missing quota, not one of 0, as unlimited."),
  INTERNAL_ERROR(
      ConditionStatus.UNKNOWN, "The quota is not known: the fleet's offer cannot be read."),
  NOT_CHECKED(
      ConditionStatus.UNKNOWN,
      "The spec is invalid; the quota is checked once it is valid. Or an operator began to lead less than a minute ago, and one before it may have granted the quota to another NodePool. Ours.",
      "The quota is checked once the spec of the NodePool is valid.");

  private final Facts facts;

  QuotaReason(ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.QUOTA, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
