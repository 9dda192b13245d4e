package io.nodepool.world.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a process of the operator led, by virtual time, and what the Lease records of it. */
public final class Leaderships {
  /** After a longer time without a leader, no repair begins for this time (decision D319). */
  private static final Duration OUTAGE = Duration.ofMinutes(10);

  private Optional<Instant> ended = Optional.empty();
  private Optional<Instant> resumed = Optional.empty();

  /** The last end of an outage by the clock of the process that led next. */
  private Optional<Instant> recorded = Optional.empty();

  /**
   * A process leads from now on.
   *
   * @param wall the present time by its clock
   */
  public void begins(Instant now, Instant wall) {
    if (isOutage(now)) {
      resumed = Optional.of(now);
      recorded = Optional.of(wall);
    }
    ended = Optional.empty();
  }

  /** No process leads from now on. */
  public void ends(Instant now) {
    ended = Optional.of(now);
  }

  private boolean isOutage(Instant now) {
    return ended.filter(at -> at.plus(OUTAGE).isBefore(now)).isPresent();
  }

  /**
   * When a process led again after an outage; the present time during an outage.
   *
   * @param wall the present time by the clock of a process
   */
  public Optional<Instant> resumed(Instant now, Instant wall) {
    return isOutage(now) ? Optional.of(wall) : recorded;
  }

  /** Whether an outage lasts, or ended too recently for a repair to begin. */
  public boolean isHeld(Instant now) {
    return isOutage(now) || resumed.filter(at -> now.isBefore(at.plus(OUTAGE))).isPresent();
  }
}
