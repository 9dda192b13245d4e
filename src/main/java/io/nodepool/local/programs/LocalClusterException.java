package io.nodepool.local.programs;

/**
 * The local control plane cannot be found, built or started. The message is for the user at the
 * terminal: what failed, where, and how to correct it.
 */
public final class LocalClusterException extends RuntimeException {

  /** An error without a cause. */
  public LocalClusterException(String message) {
    super(message);
  }

  /** An error with a cause. */
  public LocalClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
