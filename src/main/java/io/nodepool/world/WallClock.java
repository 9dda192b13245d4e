package io.nodepool.world;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The wall clock of the operator's machine. Unlike virtual time, which is the monotonic clock of
 * that machine and the clock of all other machines, it can be set.
 */
public final class WallClock implements InstantSource {
  private final World world;
  private Duration offset = Duration.ZERO;
  private Duration stray = Duration.ZERO;

  /** Creates a wall clock that shows virtual time. */
  WallClock(World world) {
    this.world = world;
  }

  /** Sets the clock forward or back. */
  public void step(Duration by) {
    world.addTrace(() -> "the operator's wall clock is set by " + by);
    world.situations().add(Situation.CLOCK_SET);
    offset = offset.plus(by);
  }

  /**
   * Makes the clock of the leader's machine wrong for a while. An operator that starts meanwhile
   * runs on another machine, whose clock is right, since it reads the instants on objects as they
   * are written (decision D85).
   */
  public void stray(Duration by, Duration lasts) {
    world.addTrace(() -> "the leader's wall clock is wrong by " + by);
    world.situations().add(Situation.CLOCK_SET);
    stray = by;
    world.later(lasts, this::correct);
  }

  /** Makes the clock right: it is corrected, or is that of another machine. */
  void correct() {
    stray = Duration.ZERO;
  }

  @Override
  public Instant instant() {
    return world.instant().plus(offset).plus(stray);
  }
}
