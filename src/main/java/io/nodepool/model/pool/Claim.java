package io.nodepool.model.pool;

import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import java.time.Instant;
import java.util.Comparator;

/**
 * What a pool wants of its instance type, and has.
 *
 * @param askedAt when it asked for the size that it wants now
 * @param target the size it wants
 * @param granted the size that quota lets it reach
 * @param secured Nodes of quota that it uses (decision D7); more than granted and held while the
 *     object does not show yet that it wants less
 * @param held Hosts it holds, those being assigned included
 * @param affinity which Hosts it takes
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
   * The one order in which claims are served: priority, then asked first, then UID (decision D10).
   */
  public static final Comparator<Claim> ORDER =
      Comparator.comparingInt(Claim::priority)
          .reversed()
          .thenComparing(Claim::askedAt)
          .thenComparing(Claim::pool);

  /** Hosts it may still take. */
  public int outstanding() {
    return Math.max(0, granted - held);
  }

  /** This claim with another priority. */
  public Claim withPriority(int next) {
    return new Claim(pool, next, askedAt, target, granted, secured, held, affinity);
  }

  /** This claim with other Nodes of quota in use. */
  public Claim withSecured(int next) {
    return new Claim(pool, priority, askedAt, target, granted, next, held, affinity);
  }
}
