package io.nodepool.model;

import io.nodepool.fleet.PoolId;
import java.time.Instant;
import java.util.Comparator;

/**
 * What another pool of the same instance type wants and has.
 *
 * @param target the size it wants
 * @param granted the size that quota lets it reach
 * @param held Hosts it holds, those being assigned included
 */
public record Claim(PoolId pool, int priority, Instant askedAt, int target, int granted, int held) {
  /**
   * The one order in which claims are served: priority, then asked first, then UID (decision D10).
   */
  public static final Comparator<Claim> ORDER =
      Comparator.comparingInt(Claim::priority)
          .reversed()
          .thenComparing(Claim::askedAt)
          .thenComparing(Claim::pool);

  /** Nodes of quota that it uses (decision D7). */
  public int quotaUse() {
    return Math.max(granted, held);
  }

  /** Hosts it may still take. */
  public int outstanding() {
    return Math.max(0, granted - held);
  }
}
