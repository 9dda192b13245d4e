package io.nodepool.simulated;

import java.time.Instant;
import java.util.Optional;

/**
 * What comes next for a machine or a Pod: something to do now, or a time to look again, or neither.
 */
public record Next(Optional<FleetAction> action, Optional<Instant> wakeup) {
  /** Nothing until something changes. */
  public static final Next NOTHING = new Next(Optional.empty(), Optional.empty());

  static Next now(FleetAction action) {
    return new Next(Optional.of(action), Optional.empty());
  }

  static Next at(Instant wakeup) {
    return new Next(Optional.empty(), Optional.of(wakeup));
  }
}
