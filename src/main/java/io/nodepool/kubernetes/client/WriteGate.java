package io.nodepool.kubernetes.client;

import java.time.Instant;
import java.util.Optional;

/** Decides whether this process may send writes now. */
@FunctionalInterface
public interface WriteGate {
  /** A gate for processes that need no leadership. */
  WriteGate ALWAYS_OPEN = () -> true;

  /** Whether a write may be sent at this moment. */
  boolean isOpen();

  /**
   * When an operator led again after a long time without a leader, by the wall clock; the present
   * during such a time; empty otherwise. Known at the latest when the gate is open.
   */
  default Optional<Instant> resumed() {
    return Optional.empty();
  }
}
