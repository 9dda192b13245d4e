package io.nodepool.model.repair;

import java.time.Instant;

/**
 * An alert that the operator itself finds about a rack, for which a person has to act.
 *
 * @param rack name of the rack
 * @param alert name of the alert
 * @param since when it was found first
 */
public record RackAlert(String rack, String alert, Instant since) {
  /** A finding about a rack; it may not have lasted long enough to be an alert. */
  public record Found(RackAlert alert, boolean stands) {}

  /** Whether both are the same alert about the same rack, whenever it was found. */
  public boolean isSame(RackAlert other) {
    return rack.equals(other.rack) && alert.equals(other.alert);
  }
}
