package io.nodepool.model.pool;

import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;

/**
 * The claim of a pool on its instance type: what it wants and what it has.
 *
 * @param rank what decides when it is served
 * @param wanted the target of its spec, in Nodes, planned or not; the number of Hosts that it holds
 *     while it may not grow
 * @param target the size that it requested, in Nodes
 * @param granted the size that the quota allows it to reach
 * @param secured Nodes of the quota that it uses (decision D7); more than granted and held while a
 *     lower target is not published yet
 * @param held Hosts that it holds, including those being assigned
 * @param affinity which Hosts it admits
 */
@RecordBuilder
public record Claim(
    PoolId pool,
    Rank rank,
    int wanted,
    int target,
    int granted,
    int secured,
    int held,
    Affinity affinity)
    implements ClaimCopy.With {
  /**
   * What decides when a claim is served.
   *
   * @param spot whether the pool is a spot pool
   * @param askedAt when it requested its present target
   */
  public record Rank(boolean spot, int priority, Instant askedAt) {
    private static final Comparator<Rank> ORDER =
        Comparator.comparing(Rank::spot)
            .thenComparing(Rank::priority, Comparator.reverseOrder())
            .thenComparing(Rank::askedAt);
  }

  /**
   * The order in which claims are served: on-demand before spot, then priority, then the earlier
   * request, then UID (decisions D10 and D134).
   */
  public static final Comparator<Claim> ORDER =
      Comparator.comparing(Claim::rank, Rank.ORDER).thenComparing(Claim::pool);

  /** Whether it takes only Hosts that are available to spot pools. */
  public boolean isSpot() {
    return rank.spot();
  }

  /** Whether it waits for Hosts, and is served before another claim. */
  public boolean isAheadOf(Claim other) {
    return outstanding() > 0 && ORDER.compare(this, other) < 0;
  }

  /** The number of Hosts that it may still take. */
  public int outstanding() {
    return Math.max(0, granted - held);
  }
}
