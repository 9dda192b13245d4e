package io.nodepool.control;

import java.time.Instant;
import java.util.Optional;

/** Which of two wake-ups comes first. */
final class Instants {
  private Instants() {}

  static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    if (one.isEmpty()) {
      return other;
    }
    return other.filter(instant -> instant.isBefore(one.get())).or(() -> one);
  }
}
