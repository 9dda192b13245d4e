package io.nodepool.world;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The wall clock of the operator's machine. Unlike virtual time, it can be set. */
final class WallClock implements InstantSource {
  private final InstantSource time;
  private Duration offset = Duration.ZERO;
  private Duration stray = Duration.ZERO;

  /** Creates a wall clock that shows virtual time. */
  WallClock(InstantSource time) {
    this.time = time;
  }

  /** Sets it forward or back. */
  void step(Duration by) {
    offset = offset.plus(by);
  }

  /** Sets it wrong by this much; zero corrects that. */
  void stray(Duration by) {
    stray = by;
  }

  @Override
  public Instant instant() {
    return time.instant().plus(offset).plus(stray);
  }
}
