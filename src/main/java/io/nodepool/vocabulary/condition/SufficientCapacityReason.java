package io.nodepool.vocabulary.condition;

/** The reasons of the condition SufficientCapacity of the oldest reference (T3, decision D245). */
public enum SufficientCapacityReason implements PoolCondition.PoolReason {
  SUFFICIENT(ConditionStatus.TRUE, "There is a machine for every Node that the pool requests."),
  PARTIAL(
      ConditionStatus.FALSE,
      "There are too few machines for the missing Nodes, and at least one that the pool may take is free."),
  NONE_AVAILABLE(
      ConditionStatus.FALSE, "No machine of the instance type is free that the pool may take."),
  INTERNAL_ERROR(ConditionStatus.UNKNOWN, "Capacity is InternalError; the message says why.");

  private final Facts facts;

  SufficientCapacityReason(ConditionStatus status, String meaning) {
    this.facts = new Facts(PoolCondition.SUFFICIENT_CAPACITY, status, meaning);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
