package io.nodepool.kubernetes.convert;

/** A stored object says something that cannot be understood; the message names the field. */
public final class UnreadableObjectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is wrong, in a sentence for the log. */
  public UnreadableObjectException(String message) {
    super(message);
  }
}
