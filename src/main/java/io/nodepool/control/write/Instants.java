package io.nodepool.control.write;

import java.time.Instant;
import java.util.Optional;

/** Comparisons of instants. */
public final class Instants {
  private Instants() {}

  /** The earlier of both. */
  public static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /** The earlier of the instants that are present. */
  public static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    if (one.isEmpty()) {
      return other;
    }
    return other.filter(instant -> instant.isBefore(one.get())).or(() -> one);
  }
}
