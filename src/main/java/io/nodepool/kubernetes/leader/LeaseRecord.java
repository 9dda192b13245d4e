package io.nodepool.kubernetes.leader;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a Lease says.
 *
 * @param holder who holds it, or empty text
 * @param valid how long it is to be respected after its last change
 * @param acquired when its holder took it, by the holder's clock
 * @param renewed when its holder renewed it last, by the holder's clock
 * @param transitions how often it went to another holder
 */
record LeaseRecord(
    String holder,
    Duration valid,
    Optional<Instant> acquired,
    Optional<Instant> renewed,
    int transitions) {

  /**
   * A record and the version of the object that said so.
   *
   * @param version the resource version; empty while there is no object
   */
  record Stored(String version, LeaseRecord record) {
    /** What stands for a Lease that does not exist. */
    static final Stored NONE =
        new Stored("", new LeaseRecord("", Duration.ZERO, Optional.empty(), Optional.empty(), 0));
  }

  /** The record once this holder has taken it, or renewed it if he holds it. */
  LeaseRecord heldBy(String identity, Duration validity, Instant now) {
    boolean renews = identity.equals(holder);
    return new LeaseRecord(
        identity,
        validity,
        renews ? acquired : Optional.of(now),
        Optional.of(now),
        renews || acquired.isEmpty() ? transitions : transitions + 1);
  }
}
