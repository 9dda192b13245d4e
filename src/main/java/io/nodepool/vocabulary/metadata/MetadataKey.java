package io.nodepool.vocabulary.metadata;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** The key of a label or an annotation that the contract or this project defines. */
public sealed interface MetadataKey
    permits NodeLabels,
        NodeAnnotations,
        PoolAnnotations,
        HostAnnotations,
        PodLabels,
        PodAnnotations,
        NamespaceLabels {

  /** Who reads a key of a Node. */
  enum Reader {
    /** Decisions of the operator depend on it. */
    DECISIONS,
    /** Only others read it, or the operator compares it with what it must be. */
    OTHERS
  }

  /**
   * The properties of a key.
   *
   * @param key the key on the wire
   * @param meaning what it means for the object
   * @param sample an example value
   * @param reader who reads it on a Node
   * @param writers who may write it
   */
  record Entry(String key, String meaning, String sample, Reader reader, Set<KeyWriter> writers) {
    /** A key of these writers. */
    Entry(String key, String meaning, String sample, KeyWriter... writers) {
      this(key, meaning, sample, Reader.OTHERS, Set.of(writers));
    }
  }

  /** Those of these keys that decisions depend on. */
  static Set<String> ofDecisions(MetadataKey... keys) {
    return Arrays.stream(keys)
        .filter(each -> each.entry().reader() == Reader.DECISIONS)
        .map(MetadataKey::key)
        .collect(Collectors.toUnmodifiableSet());
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
