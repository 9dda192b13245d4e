package io.nodepool.kubernetes.convert;

import io.nodepool.vocabulary.UserText;

/** Thrown for a stored object that cannot be read; the message names the field. */
public final class UnreadableObjectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message, shortened for logs and conditions. */
  public UnreadableObjectException(String message) {
    super(UserText.explanation(message));
  }
}
