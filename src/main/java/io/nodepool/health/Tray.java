package io.nodepool.health;

import java.util.List;

/**
 * What one Host contributes to the health of its rack.
 *
 * @param domain the NVLink domain of the machine; empty text for none
 * @param place where its Node is in its life
 * @param standing the active alerts about it
 */
public record Tray(String domain, Place place, List<StandingAlert> standing) {
  /** Where the Node of a machine is in its life, as far as it counts for its NVLink domain. */
  public enum Place {
    /** It is registered and in production. */
    PRODUCTION,
    /** It is set aside for triage, or its Node is in the state triage. */
    TRIAGE,
    /** It belongs to no pool. */
    FREE,
    /** None of these: on its way, rebooted, or without a Node. */
    OTHER
  }

  public Tray {
    standing = List.copyOf(standing);
  }
}
