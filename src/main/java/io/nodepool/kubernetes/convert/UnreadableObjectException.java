package io.nodepool.kubernetes.convert;

/** Thrown for a stored object that cannot be read; the message names the field. */
public final class UnreadableObjectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message is a sentence for the log and for conditions. */
  public UnreadableObjectException(String message) {
    super(message);
  }
}
