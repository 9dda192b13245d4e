package io.nodepool.vocabulary.condition;

import java.util.Optional;

/** The reasons of the condition Quota (the contract §4). */
public enum QuotaReason implements PoolReason {
  UNDER(
      "Under",
      ConditionStatus.TRUE,
      "The target is within the quota; exactly at the quota counts as within.",
      Optional.of("NodePool is within instance type quota.")),
  OVER(
      "Over",
      ConditionStatus.FALSE,
      "The target is beyond the quota. The whole growth waits; what the pool holds stays.",
      Optional.empty()),
  NOT_SET(
      "NotSet",
      ConditionStatus.FALSE,
      "The organisation has no quota for the instance type in the zone. The whole growth waits, unless the operator is told to take a missing quota for an unlimited one.",
      Optional.empty()),
  INTERNAL_ERROR(
      "InternalError",
      ConditionStatus.UNKNOWN,
      "The quota is not known: the fleet did not answer, or the spec is invalid and nothing was looked at. The message says which.",
      Optional.empty());

  private final Facts facts;

  QuotaReason(String word, ConditionStatus status, String meaning, Optional<String> message) {
    this.facts = new Facts(PoolCondition.QUOTA, word, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
