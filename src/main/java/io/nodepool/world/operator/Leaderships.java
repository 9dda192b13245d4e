package io.nodepool.world.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a process of the operator led, by virtual time. */
public final class Leaderships {
  /** After longer than this without a leader, no repair begins for as long (decision D319). */
  private static final Duration OUTAGE = Duration.ofMinutes(10);

  private Optional<Instant> ended = Optional.empty();
  private Optional<Instant> resumed = Optional.empty();

  /** A process leads from now on. */
  public void begins(Instant now) {
    if (ended.filter(at -> at.plus(OUTAGE).isBefore(now)).isPresent()) {
      resumed = Optional.of(now);
    }
    ended = Optional.empty();
  }

  /** No process leads from now on. */
  public void ends(Instant now) {
    ended = Optional.of(now);
  }

  /** When a process led again after none did for long. */
  public Optional<Instant> resumed() {
    return resumed;
  }

  /** Whether that was so short a time ago that no repair may begin. */
  public boolean isHeld(Instant now) {
    return resumed.filter(at -> now.isBefore(at.plus(OUTAGE))).isPresent();
  }
}
