package io.nodepool.vocabulary.condition;

/**
 * The conditions of a NodePool (the contract §4), in the order in which they are listed on the
 * object. All but the last are good when True; {@link #NODE_RECONFIGURATION_REQUIRED} is good when
 * False (T10).
 */
public enum PoolCondition {
  VALIDATED("Validated", "Is the spec one that can be carried out?"),
  CAPACITY("Capacity", "Does the fleet have machines for the Nodes that the pool still lacks?"),
  QUOTA(
      "Quota",
      "Does the pool's target fit into the organisation's quota for its instance type and zone?"),
  AT_TARGET("AtTarget", "Does the pool have as many Nodes as its target says?"),
  NODES_REMOVED(
      "NodesRemoved",
      "Are the Nodes of a pool that is being deleted gone? Present only while it is being deleted."),
  NODE_RECONFIGURATION_REQUIRED(
      "NodeReconfigurationRequired",
      "Are there Nodes that have not booted into the active configuration?");

  private final String type;
  private final String meaning;

  PoolCondition(String type, String meaning) {
    this.type = type;
    this.meaning = meaning;
  }

  /** The condition's type on the wire. */
  public String type() {
    return type;
  }

  /** The question that the condition answers. */
  public String meaning() {
    return meaning;
  }
}
