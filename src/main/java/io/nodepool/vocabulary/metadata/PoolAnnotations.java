package io.nodepool.vocabulary.metadata;

/**
 * The annotations of a NodePool that the operator reads; all are ours, under {@code nodepool.io}.
 */
public enum PoolAnnotations implements MetadataKey {
  NODE_AFFINITY(
      "nodepool.io/node-affinity",
      "Ours: which machines of the instance type the pool takes, a label selector over what is fixed about a machine, such as rack, superpod or host name.",
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
