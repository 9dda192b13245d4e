package io.nodepool.vocabulary.metadata;

import java.util.Set;

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
   * @param meaning what it means for the object
   * @param sample an example value
   * @param writers who may write it
   */
  record Entry(String key, String meaning, String sample, Set<KeyWriter> writers) {
    /** A key of these writers. */
    Entry(String key, String meaning, String sample, KeyWriter... writers) {
      this(key, meaning, sample, Set.of(writers));
    }
  }

  /** The properties of this key. */
  Entry entry();

  /** The key on the wire. */
  default String key() {
    return entry().key();
  }

  /** Who may write it. */
  default Set<KeyWriter> writers() {
    return entry().writers();
  }

  /** What the key means for the object. */
  default String meaning() {
    return entry().meaning();
  }

  /** An example value. */
  default String sample() {
    return entry().sample();
  }
}
