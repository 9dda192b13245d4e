package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** The next step of a machine or a Pod: an action now, a time to run again, or neither. */
public record Next(Optional<FleetAction> action, Optional<Instant> wakeup) {
  /** Nothing to do until an object changes. */
  public static final Next NOTHING = new Next(Optional.empty(), Optional.empty());

  /** This step, to run again at its own time or this time, whichever is earlier. */
  Next atLatest(Optional<Instant> other) {
    return new Next(action, Stream.concat(wakeup.stream(), other.stream()).min(Instant::compareTo));
  }

  /** Writes the status of a Host. */
  static Next report(Host host, Host.Report next) {
    return now(new FleetAction.ReportHost(host, next));
  }

  static Next now(FleetAction action) {
    return new Next(Optional.of(action), Optional.empty());
  }

  static Next at(Instant wakeup) {
    return new Next(Optional.empty(), Optional.of(wakeup));
  }
}
