package io.nodepool.kubernetes.leader;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The content of a Lease.
 *
 * @param holder the identity of the holder, or empty text
 * @param valid how long the Lease must be respected after its last change
 * @param acquired when the holder took it, by the holder's clock
 * @param renewed when the holder last renewed it, by the holder's clock
 * @param transitions how often the holder changed
 * @param resumed when the last outage, a time without a leader, ended, by the clock of the process
 *     that led next (decision D319)
 */
record LeaseRecord(
    String holder,
    Duration valid,
    Optional<Instant> acquired,
    Optional<Instant> renewed,
    int transitions,
    Optional<Instant> resumed) {

  /**
   * A record and the version of the object that it was read from.
   *
   * @param version the resource version; empty if the object does not exist
   */
  record Stored(String version, LeaseRecord record) {
    /** Represents a Lease that does not exist. */
    static final Stored NONE =
        new Stored(
            "",
            new LeaseRecord(
                "", Duration.ZERO, Optional.empty(), Optional.empty(), 0, Optional.empty()));
  }

  /**
   * The record after this process takes the Lease, or renews it if it holds the Lease.
   *
   * @param outage the time without a renewal after which the Lease counts as having had no leader
   */
  LeaseRecord heldBy(String identity, Duration validity, Duration outage, Instant now) {
    boolean renews = identity.equals(holder);
    return new LeaseRecord(
        identity,
        validity,
        renews ? acquired : Optional.of(now),
        Optional.of(now),
        renews || acquired.isEmpty() ? transitions : transitions + 1,
        resumed(outage, now));
  }

  /** When the last outage ended; the present if it still lasts, since the next renewal ends it. */
  Optional<Instant> resumed(Duration outage, Instant now) {
    return renewed.filter(last -> last.plus(outage).isBefore(now)).isPresent()
        ? Optional.of(now)
        : resumed.map(at -> at.isBefore(now) ? at : now);
  }
}
