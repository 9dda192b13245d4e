package io.nodepool.control.write;

import java.time.Instant;
import java.util.Optional;

/** Comparisons of optional instants. */
public final class Instants {
  private Instants() {}

  /** The earlier of the instants that are present. */
  public static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    if (one.isEmpty()) {
      return other;
    }
    return other.filter(instant -> instant.isBefore(one.get())).or(() -> one);
  }
}
