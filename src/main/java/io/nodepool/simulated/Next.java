package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The next step of a machine or a Pod: an action now, a time to run again, or neither. */
public record Next(Optional<FleetAction> action, Optional<Instant> wakeup) {
  /** Nothing to do until an object changes. */
  public static final Next NOTHING = new Next(Optional.empty(), Optional.empty());

  /** This step, and a time to run again unless it is later than its own. */
  Next atLatest(Optional<Instant> other) {
    return new Next(action, Stream.concat(wakeup.stream(), other.stream()).min(Instant::compareTo));
  }

  /** Writes what a Host says to spot pools. */
  static Next spot(Host host, Host.Spot next) {
    return now(new FleetAction.ReportHost(host, host.report().withSpot(next)));
  }

  /** Writes what a Host says about the machine's health. */
  static Next signals(Host host, List<Signal> next) {
    return now(new FleetAction.ReportHost(host, host.report().withSignals(next)));
  }

  static Next now(FleetAction action) {
    return new Next(Optional.of(action), Optional.empty());
  }

  static Next at(Instant wakeup) {
    return new Next(Optional.empty(), Optional.of(wakeup));
  }
}
