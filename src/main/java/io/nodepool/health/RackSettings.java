package io.nodepool.health;

import java.time.Duration;

/**
 * When alerts about machines are a matter of their rack (decision D287).
 *
 * @param least the least number of machines with the same alert
 * @param percent the least share of the machines of the rack, from 1 to 100
 * @param window within what time it must have begun on these
 * @param spare how many machines of an NVLink domain may be out of production until that is an
 *     alert: 2 of 18 (contract §14)
 */
public record RackSettings(int least, int percent, Duration window, int spare) {
  private static final int HUNDRED = 100;

  /** The product's defaults. */
  public static final RackSettings DEFAULTS = new RackSettings(3, 50, Duration.ofMinutes(5), 2);

  /** On how many machines of a rack of this size an alert must stand to be a matter of the rack. */
  public int enough(int machines) {
    return Math.max(least, Math.ceilDiv(machines * percent, HUNDRED));
  }

  /** These settings with the window divided by {@code times}. */
  public RackSettings faster(int times) {
    return new RackSettings(least, percent, window.dividedBy(times), spare);
  }
}
