package io.nodepool.model.pool;

import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import java.time.Instant;
import java.util.Comparator;

/**
 * The claim of a pool on its instance type: what it wants and what it has.
 *
 * @param askedAt when it requested its present target
 * @param target the size that it wants, in Nodes
 * @param granted the size that the quota allows it to reach
 * @param secured Nodes of the quota that it uses (decision D7); more than granted and held while a
 *     lower target is not published yet
 * @param held Hosts that it holds, including those being assigned
 * @param affinity which Hosts it admits
 */
public record Claim(
    PoolId pool,
    int priority,
    Instant askedAt,
    int target,
    int granted,
    int secured,
    int held,
    Affinity affinity) {
  /**
   * The order in which claims are served: priority, then the earlier request, then UID (decision
   * D10).
   */
  public static final Comparator<Claim> ORDER =
      Comparator.comparingInt(Claim::priority)
          .reversed()
          .thenComparing(Claim::askedAt)
          .thenComparing(Claim::pool);

  /** The number of Hosts that it may still take. */
  public int outstanding() {
    return Math.max(0, granted - held);
  }

  /** This claim with another priority. */
  public Claim withPriority(int next) {
    return new Claim(pool, next, askedAt, target, granted, secured, held, affinity);
  }

  /** This claim with another affinity. */
  public Claim withAffinity(Affinity next) {
    return new Claim(pool, priority, askedAt, target, granted, secured, held, next);
  }

  /** This claim with another number of Nodes of the quota in use. */
  public Claim withSecured(int next) {
    return new Claim(pool, priority, askedAt, target, granted, next, held, affinity);
  }
}
