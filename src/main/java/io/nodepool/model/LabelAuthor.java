package io.nodepool.model;

/** Who put the label of its organisation on a Namespace, as far as is known. */
public enum LabelAuthor {
  /** Nobody has looked yet. */
  UNKNOWN,
  /** This operator, or an earlier version of it, and nobody besides. */
  OURS,
  /** Somebody else. */
  OTHERS
}
