package io.nodepool.world;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The wall clock of the machine on which the operator runs. Unlike time itself it can be set. */
final class WallClock implements InstantSource {
  private final InstantSource time;
  private Duration offset = Duration.ZERO;

  /** A wall clock that is right. */
  WallClock(InstantSource time) {
    this.time = time;
  }

  /** Sets it forward, or back. */
  void step(Duration by) {
    offset = offset.plus(by);
  }

  @Override
  public Instant instant() {
    return time.instant().plus(offset);
  }
}
