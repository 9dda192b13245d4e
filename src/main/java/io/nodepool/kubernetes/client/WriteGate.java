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
   * When an operator led again after none did for long, by the wall clock; the present while none
   * has led for so long; empty otherwise. Whoever sees the gate open sees this too.
   */
  default Optional<Instant> resumed() {
    return Optional.empty();
  }
}
