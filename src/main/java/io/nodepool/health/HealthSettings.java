package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import java.time.Duration;

/**
 * Settings for the alerts about the health of machines.
 *
 * @param clear how long a signal must be off to be over, and how long a Node must be Ready after a
 *     boot until an older signal that is still active counts anew (decision D34)
 * @param skew how far the time of a signal may be ahead of the operator's clock
 * @param speed the factor by which the holds of the catalogue, and the time within which an alert
 *     of a rack begins on its machines, are shorter
 */
public record HealthSettings(Duration clear, Duration skew, int speed) {
  /** The product's defaults. */
  public static final HealthSettings DEFAULTS =
      new HealthSettings(Duration.ofMinutes(10), Duration.ofMinutes(5), 1);

  /** These settings with all times divided by {@code times}, except for the skew of clocks. */
  public HealthSettings faster(int times) {
    return new HealthSettings(clear.dividedBy(times), skew, speed * times);
  }

  /** How long a signal of this alert must be active before it counts. */
  public Duration hold(Alert alert) {
    return alert.hold().dividedBy(speed);
  }
}
