package io.nodepool.vocabulary.condition;

/** The reasons of the condition Validated (contract §4). */
public enum ValidatedReason implements PoolCondition.PoolReason {
  VALID(ConditionStatus.TRUE, "The spec is valid.", "NodePool configuration is valid."),
  INVALID(
      ConditionStatus.FALSE,
      "The spec is invalid: an instance type that does not exist or is not in the zone, a size that is not whole racks, an impossible affinity, or labels, annotations or taints that Nodes cannot have. The pool does not grow until the spec is changed; existing Nodes are not changed."),
  NODE_CONFIG_INTERNAL_ERROR(
      ConditionStatus.FALSE,
      "The spec is valid, but the fleet does not offer the active configuration any more, or not all of its parts together. The pool does not grow, and no rollout goes on, until it does or another configuration is active; existing Nodes are not changed."),
  INTERNAL_ERROR(
      ConditionStatus.UNKNOWN,
      "The spec could not be checked completely, because the fleet's offer cannot be read.");

  private final Facts facts;

  ValidatedReason(ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.VALIDATED, status, meaning, message);
  }

  /**
   * Whether the pool does not grow until its spec, its active configuration or the offer changes.
   */
  public boolean holdsGrowth() {
    return this == INVALID || this == NODE_CONFIG_INTERNAL_ERROR;
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
