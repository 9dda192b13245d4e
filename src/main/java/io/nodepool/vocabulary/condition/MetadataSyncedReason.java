package io.nodepool.vocabulary.condition;

/** The reasons of the condition MetadataSynced of the oldest reference (decision D246). */
public enum MetadataSyncedReason implements PoolCondition.PoolReason {
  SYNCED(
      ConditionStatus.TRUE,
      "All Nodes that stay carry the record of the labels, annotations and taints of the spec."),
  PENDING(
      ConditionStatus.FALSE,
      "A Node that stays does not carry that record, or no Node of the pool has joined yet."),
  UNKNOWN(
      ConditionStatus.UNKNOWN,
      "Machines of the pool cannot be read, and no Node that can be read lacks that record.");

  private final Facts facts;

  MetadataSyncedReason(ConditionStatus status, String meaning) {
    this.facts = new Facts(PoolCondition.METADATA_SYNCED, status, meaning);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
