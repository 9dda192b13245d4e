package io.nodepool.world.check.consent;

import java.time.Instant;
import java.util.Set;

/**
 * A drain of a Node, to leave or to be rebooted.
 *
 * @param listedAt the version of the cluster at the live list with which it began: a Pod that was
 *     bound later could not be known, and is drained as any other
 * @param consents what allowed to interrupt work when it began, or since
 * @param endedAt {@link Instant#MAX} while it goes on
 */
public record RecordedDrain(
    Instant at, boolean leaves, long listedAt, Set<Consent> consents, Instant endedAt) {
  /** A drain that has the consents of the moment when it is recorded. */
  public RecordedDrain {
    consents = Set.copyOf(consents);
  }

  /** The same drain, which ends now. */
  public RecordedDrain ended(Instant now) {
    return new RecordedDrain(at, leaves, listedAt, consents, now);
  }

  /** Whether it has not ended. */
  public boolean goesOn() {
    return endedAt.equals(Instant.MAX);
  }
}
