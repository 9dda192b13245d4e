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
 * @param ending whether all its signals are off, though not for <i>clear</i> yet
 * @param signals those for which it stands, ordered by key; at least one
 */
public record StandingAlert(Alert alert, Instant since, boolean ending, List<Signal> signals) {
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
