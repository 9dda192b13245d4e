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

  /**
   * Who writes a key, and who reads it.
   *
   * @param decides whether decisions of the operator depend on it; else only other clients read it,
   *     or the operator compares it with its required value
   * @param writers who may write it
   */
  record Access(boolean decides, Set<KeyWriter> writers) {
    /** The access to a key of these writers that no decision depends on. */
    static Access of(KeyWriter... writers) {
      return new Access(false, Set.of(writers));
    }

    /** The access to a key of these writers that decisions depend on. */
    static Access deciding(KeyWriter... writers) {
      return new Access(true, Set.of(writers));
    }
  }

  /**
   * The properties of a key.
   *
   * @param key the key on the wire
   * @param meaning what it means for the object
   * @param sample an example value
   * @param access who writes and reads it
   */
  record Entry(String key, String meaning, String sample, Access access) {}

  /** The keys among these that decisions depend on. */
  static Set<String> ofDecisions(MetadataKey... keys) {
    return Arrays.stream(keys)
        .filter(each -> each.entry().access().decides())
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
    return entry().access().writers();
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
