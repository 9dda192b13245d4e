package io.nodepool.vocabulary.condition;

/**
 * The reasons of the condition Capacity (contract §4). CapacityUnknown, which was observed
 * elsewhere, is never reported (T25).
 */
public enum CapacityReason implements PoolCondition.PoolReason {
  SUFFICIENT(
      ConditionStatus.TRUE,
      "There is a machine for every Node that the pool requests.",
      "Sufficient capacity available for the requested instance type."),
  PARTIAL(ConditionStatus.FALSE, "There are machines for some of the missing Nodes, not for all."),
  NONE_AVAILABLE(
      ConditionStatus.FALSE, "There is no free machine of the instance type in the zone."),
  NONE_AVAILABLE_NODE_AFFINITY(
      ConditionStatus.FALSE,
      "There are free machines of the instance type, but none that the affinity of the pool admits."),
  PARTIAL_NODE_AFFINITY(
      ConditionStatus.FALSE,
      "There are enough free machines of the instance type, but the affinity of the pool admits too few of them."),
  QUEUED_AWAITING_CAPACITY(
      ConditionStatus.FALSE,
      "The request for the missing Nodes is accepted and waits until machines become free."),
  INTERNAL_ERROR(
      ConditionStatus.UNKNOWN,
      "The capacity is not known: the fleet's offer cannot be read, or the API server refuses the assignment of machines. The message says which."),
  NOT_CHECKED(
      ConditionStatus.UNKNOWN,
      "The spec is invalid; the capacity is checked once it is valid. Ours.",
      "The capacity is checked once the spec of the NodePool is valid.");

  private final Facts facts;

  CapacityReason(ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.CAPACITY, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
