package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * An alert that stands about a machine.
 *
 * @param since since when, by its sources' clocks; after a boot that it outlived, by this
 *     operator's
 * @param state of its signals, that which counts most
 * @param signals those for which it stands, ordered by key; at least one
 */
public record StandingAlert(Alert alert, Instant since, State state, List<Signal> signals) {
  /** What is known of a signal that was reported; the first one counts most. */
  public enum State {
    /** It stands. */
    STANDS,
    /** It was not confirmed for long, or not since the last boot: nothing begins for it. */
    STALE,
    /** It is off, though not for <i>clear</i> yet. */
    ENDING;

    /** That of two signals together. */
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
