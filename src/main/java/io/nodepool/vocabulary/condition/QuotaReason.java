package io.nodepool.vocabulary.condition;

import java.util.Optional;

/** The reasons of the condition Quota (contract §4). */
public enum QuotaReason implements PoolReason {
  UNDER(
      "Under",
      ConditionStatus.TRUE,
      "The target is within the quota; exactly at the quota counts as within.",
      Optional.of("NodePool is within instance type quota.")),
  OVER(
      "Over",
      ConditionStatus.FALSE,
      "The target exceeds the quota. The whole growth waits; the pool keeps what it holds.",
      Optional.empty()),
  NOT_SET(
      "NotSet",
      ConditionStatus.FALSE,
      "The organisation has no quota for the instance type in the zone. The whole growth waits, unless the operator is configured to treat a missing quota as unlimited.",
      Optional.empty()),
  INTERNAL_ERROR(
      "InternalError",
      ConditionStatus.UNKNOWN,
      "The quota is not known: the fleet's offer cannot be read, or the spec is invalid and the quota was not checked. The message says which.",
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
