package io.nodepool.plan.report;

import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.Optional;

/**
 * Reports that no Host can be read, because the definition of Hosts is missing: the pool has not
 * lost its machines, and they are not counted (decision D202).
 */
public final class MissingHosts {
  private static final String MESSAGE_START =
      "The machines of the NodePool cannot be counted, and their Nodes stay: ";

  private MissingHosts() {}

  /** The message; empty if Hosts can be read. */
  public static Optional<String> of(PoolSnapshot seen) {
    return seen.offer() instanceof PoolSnapshot.Offer.Lost(String why, boolean withHosts)
            && withHosts
        ? Optional.of(MESSAGE_START + why)
        : Optional.empty();
  }
}
