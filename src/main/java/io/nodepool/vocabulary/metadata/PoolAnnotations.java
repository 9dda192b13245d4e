package io.nodepool.vocabulary.metadata;

/**
 * The annotations of a NodePool that the operator reads; all are its own, under {@code
 * nodepool.io}.
 */
public enum PoolAnnotations implements MetadataKey {
  NODE_AFFINITY(
      "nodepool.io/node-affinity",
      "Specific to this operator: which machines of the instance type the pool admits, as a label selector over fixed properties of a machine, such as rack, superpod or host name.",
      "node.coreweave.cloud/rack in (169,170)");

  private final Entry entry;

  PoolAnnotations(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
