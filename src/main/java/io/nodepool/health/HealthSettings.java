package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import java.time.Duration;

/**
 * Settings of what stands about the health of machines.
 *
 * @param clear how long a signal must be off to be over, and a Node Ready after a boot until what
 *     still stands from before it counts anew (decision D34)
 * @param skew how far the time of a signal may be ahead of the operator's clock
 * @param speed the factor by which the holds of the catalogue are shorter, and the time within
 *     which an alert of a rack begins on its machines
 */
public record HealthSettings(Duration clear, Duration skew, int speed) {
  /** The product's defaults. */
  public static final HealthSettings DEFAULTS =
      new HealthSettings(Duration.ofMinutes(10), Duration.ofMinutes(5), 1);

  /** These settings with all times divided by {@code times}, except for the skew of clocks. */
  public HealthSettings faster(int times) {
    return new HealthSettings(clear.dividedBy(times), skew, speed * times);
  }

  /** How long a signal of this alert must stand before it counts. */
  public Duration hold(Alert alert) {
    return alert.hold().dividedBy(speed);
  }
}
