package io.nodepool.vocabulary.metadata;

/** A key of a label or an annotation that the contract, or this project, gives a meaning. */
public sealed interface MetadataKey
    permits NodeLabels, NodeAnnotations, PoolAnnotations, PodLabels, NamespaceLabels {

  /**
   * All that is said of a key.
   *
   * @param key the key on the wire
   * @param meaning what it says about the object, and who writes it
   * @param sample a value as it is seen in a cluster
   */
  record Entry(String key, String meaning, String sample) {}

  /** All that is said of this key. */
  Entry entry();

  /** The key on the wire. */
  default String key() {
    return entry().key();
  }

  /** What the key says about the object, and who writes it. */
  default String meaning() {
    return entry().meaning();
  }

  /** A value as it is seen in a cluster. */
  default String sample() {
    return entry().sample();
  }
}
