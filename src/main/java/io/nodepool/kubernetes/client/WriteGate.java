package io.nodepool.kubernetes.client;

/** Says whether writes may leave this process now. */
@FunctionalInterface
public interface WriteGate {
  /** A gate for processes that need no leadership. */
  WriteGate ALWAYS_OPEN = () -> true;

  /** Whether a write may be sent at this moment. */
  boolean isOpen();
}
