package io.nodepool.control.write;

import java.time.Instant;
import java.util.Optional;

/** Which of two wake-ups comes first. */
public final class Instants {
  private Instants() {}

  /** The earlier one of those that are there. */
  public static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    if (one.isEmpty()) {
      return other;
    }
    return other.filter(instant -> instant.isBefore(one.get())).or(() -> one);
  }
}
