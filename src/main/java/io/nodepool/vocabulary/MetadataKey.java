package io.nodepool.vocabulary;

/** A key of a label or an annotation that the contract, or this project, gives a meaning. */
public sealed interface MetadataKey
    permits NodeLabels, NodeAnnotations, PodLabels, NamespaceLabels {

  /** The key on the wire. */
  String key();

  /** What the key says about the object, and who writes it. */
  String meaning();

  /** A value as it is seen in a cluster. */
  String sample();
}
