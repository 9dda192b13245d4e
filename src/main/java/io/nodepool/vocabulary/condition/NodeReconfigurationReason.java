package io.nodepool.vocabulary.condition;

/**
 * The reasons of the condition NodeReconfigurationRequired (contract §4), whose healthy status is
 * False (T10).
 */
public enum NodeReconfigurationReason implements PoolCondition.PoolReason {
  STAGED_NODE_CONFIG(
      ConditionStatus.TRUE,
      "The active configuration is staged on Nodes that have to reboot to use it."),
  ALL_NODES_UP_TO_DATE(
      ConditionStatus.FALSE,
      "Every Node has booted into the active configuration.",
      "All nodes are on the current configuration."),
  INTERNAL_ERROR(
      ConditionStatus.UNKNOWN,
      "The configuration of Nodes could not be determined or not be staged, or the fleet does not offer the active one; the message says which.");

  private final Facts facts;

  NodeReconfigurationReason(ConditionStatus status, String meaning, String... message) {
    this.facts = new Facts(PoolCondition.NODE_RECONFIGURATION_REQUIRED, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
