package io.nodepool.vocabulary.metadata;

/** The key of a label or an annotation that the contract or this project defines. */
public sealed interface MetadataKey
    permits NodeLabels,
        NodeAnnotations,
        PoolAnnotations,
        HostAnnotations,
        PodLabels,
        NamespaceLabels {

  /**
   * The properties of a key.
   *
   * @param key the key on the wire
   * @param meaning what it means for the object, and who writes it
   * @param sample an example value
   */
  record Entry(String key, String meaning, String sample) {}

  /** The properties of this key. */
  Entry entry();

  /** The key on the wire. */
  default String key() {
    return entry().key();
  }

  /** What the key means for the object, and who writes it. */
  default String meaning() {
    return entry().meaning();
  }

  /** An example value. */
  default String sample() {
    return entry().sample();
  }
}
