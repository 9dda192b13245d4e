package io.nodepool.local;

/**
 * The local control plane cannot be found, built or started. The message is meant for the person at
 * the terminal: what failed, where, and what to do about it.
 */
public final class LocalClusterException extends RuntimeException {

  /** An error that this package found by itself. */
  public LocalClusterException(String message) {
    super(message);
  }

  /** An error that something below reported. */
  public LocalClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
