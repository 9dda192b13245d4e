package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * An active alert about a machine.
 *
 * @param since since when it is active, by its sources' clocks; after a boot that it outlived, by
 *     this operator's clock
 * @param state the state of its signals that counts most
 * @param signals the signals that cause it, ordered by key; at least one
 */
public record StandingAlert(Alert alert, Instant since, State state, List<Signal> signals) {
  /** The state of a reported signal; the first constant counts most. */
  public enum State {
    /** It is active. */
    STANDS,
    /** It was not confirmed for long, or not since the last boot: nothing begins for it. */
    STALE,
    /** It is off, though not for <i>clear</i> yet. */
    ENDING;

    /** The state of two signals together. */
    State and(State other) {
      return compareTo(other) <= 0 ? this : other;
    }
  }

  /** The strongest first, then by name. */
  static final Comparator<StandingAlert> STRONGEST =
      Comparator.comparing((StandingAlert each) -> each.alert().grade())
          .reversed()
          .thenComparing(StandingAlert::name);

  public StandingAlert {
    signals = List.copyOf(signals);
  }

  /** The name of the alert. */
  public String name() {
    return alert.name();
  }
}
