package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.ReferenceGeneration;

/**
 * The conditions of a NodePool (contract §4), in the order in which they are listed on the object.
 * The healthy status of {@link #NODE_RECONFIGURATION_REQUIRED} is False, of all others True (T10).
 * The last four are those of the oldest reference, published on request (decision D244).
 */
public enum PoolCondition {
  VALIDATED("Validated", "Is the spec valid?"),
  CAPACITY("Capacity", "Does the fleet have machines for the Nodes that the pool still lacks?"),
  QUOTA(
      "Quota",
      "Does the pool's target fit into the organisation's quota for its instance type and zone?"),
  AT_TARGET("AtTarget", "Does the pool have its target number of Nodes?"),
  NODES_REMOVED(
      "NodesRemoved",
      "Are all Nodes of a pool that is being deleted removed? Present only while it is being deleted."),
  NODE_RECONFIGURATION_REQUIRED(
      "NodeReconfigurationRequired",
      "Are there Nodes that have not booted into the active configuration?"),
  REPAIRS_HELD(
      "RepairsHeld",
      "Are repairs held? Present only while they are; a repair that only waits for its turn does not count. Specific to this operator."),
  ACCEPTED("Accepted", ReferenceGeneration.OLDEST, "Is the spec valid?"),
  ALLOCATED(
      "Allocated", ReferenceGeneration.OLDEST, "Does the pool have its target number of Nodes?"),
  METADATA_SYNCED(
      "MetadataSynced",
      ReferenceGeneration.OLDEST,
      "Do all Nodes of the pool have the labels, annotations and taints of its spec?"),
  SUFFICIENT_CAPACITY(
      "SufficientCapacity",
      ReferenceGeneration.OLDEST,
      "Does the fleet have machines for the Nodes that the pool still lacks?");

  private final String type;
  private final ReferenceGeneration generation;
  private final String meaning;

  PoolCondition(String type, String meaning) {
    this(type, ReferenceGeneration.CURRENT, meaning);
  }

  PoolCondition(String type, ReferenceGeneration generation, String meaning) {
    this.type = type;
    this.generation = generation;
    this.meaning = meaning;
  }

  /** Whether it is of the newer references, and published whatever is requested. */
  public boolean isCurrent() {
    return generation == ReferenceGeneration.CURRENT;
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
