package io.nodepool.kubernetes.client;

/** Decides whether this process may send writes now. */
@FunctionalInterface
public interface WriteGate {
  /** A gate for processes that need no leadership. */
  WriteGate ALWAYS_OPEN = () -> true;

  /** Whether a write may be sent at this moment. */
  boolean isOpen();
}
