package io.nodepool.world.liars;

import java.time.Instant;

/** That something happened which must not. */
record Violation(Kind kind, Instant at, String what) {
  /** The oracles. */
  enum Kind {
    /** False alarms ended the work of too many Nodes. */
    WORK_ENDED,
    /** Too many Hosts were set aside. */
    SET_ASIDE,
    /** Something was done for what was called held. */
    HELD,
    /** Something was done that an Event had promised not to do. */
    PROMISE,
    /** Work was ended that no alert asked for at that time, or that its pool protects. */
    CONSENT,
    /** Something was begun for what a silent source had said. */
    STALE,
    /** Something was done for an alert that stands on too many Nodes to be believed. */
    DOUBT,
    /** A machine was taken out without a verification. */
    UNVERIFIED,
    /** A machine was booted while a partition hid it. */
    PARTITION,
    /** A true fault was not repaired. */
    NOT_REPAIRED,
    /** A true fault was held, and no message named it. */
    NOT_NAMED,
    /** A Node stayed cordoned for nothing. */
    LEFT_CORDONED,
    /** Another invariant of the world did not hold. */
    WORLD
  }

  @Override
  public String toString() {
    return kind + " at " + Deeds.time(at) + ": " + what;
  }
}
