package io.nodepool.model;

/** The author of the organisation label on a Namespace, as far as it is known. */
public enum LabelAuthor {
  /** The author has not been read yet. */
  UNKNOWN,
  /** Only this operator, or an earlier version of it. */
  OURS,
  /** Another client. */
  OTHERS
}
