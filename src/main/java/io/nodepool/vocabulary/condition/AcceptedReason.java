package io.nodepool.vocabulary.condition;

/** The reasons of the condition Accepted of the oldest reference (decision D245). */
public enum AcceptedReason implements PoolCondition.PoolReason {
  ACCEPTED(ConditionStatus.TRUE, "The spec is valid: Validated is Valid."),
  INTERNAL_ERROR(
      ConditionStatus.UNKNOWN,
      "The spec could not be checked completely, or the fleet does not offer the active configuration: Validated is InternalError or NodeConfigInternalError."),
  INVALID(ConditionStatus.FALSE, "The spec is invalid wherever the pool is: Validated is Invalid."),
  POLICY_VIOLATION(
      ConditionStatus.FALSE,
      "Validated is Invalid, because the instance type exists and is not offered in the zone.");

  private final Facts facts;

  AcceptedReason(ConditionStatus status, String meaning) {
    this.facts = new Facts(PoolCondition.ACCEPTED, status, meaning);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
