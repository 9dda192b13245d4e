package io.nodepool.simulated;

import java.time.Duration;
import java.util.Optional;

/** What an annotation of a Host requests of the data centre. */
public sealed interface ReclaimRequest {
  /** There is no annotation. */
  record None() implements ReclaimRequest {}

  /** A notice with this window; the data centre's own one if it is empty. */
  record Wanted(Optional<Duration> window) implements ReclaimRequest {}

  /** The annotation cannot be read; the machine's notice stays as it is. */
  record Garbled() implements ReclaimRequest {}
}
