package io.nodepool.simulated;

import java.time.Instant;
import java.util.Optional;

/** The next step of a machine or a Pod: an action now, a time to run again, or neither. */
public record Next(Optional<FleetAction> action, Optional<Instant> wakeup) {
  /** Nothing to do until an object changes. */
  public static final Next NOTHING = new Next(Optional.empty(), Optional.empty());

  static Next now(FleetAction action) {
    return new Next(Optional.of(action), Optional.empty());
  }

  static Next at(Instant wakeup) {
    return new Next(Optional.empty(), Optional.of(wakeup));
  }
}
