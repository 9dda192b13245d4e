package io.nodepool.fleet;

import java.time.Instant;

/**
 * The assignment of a Host to a pool.
 *
 * @param operation the derived id of the operation that made it; the same Host, tenancy and pool
 *     always give the same id
 * @param at when it was made, by the operator's clock
 */
public record Assignment(
    PoolId pool, String computeClass, String operation, Instant at, NodeTemplate node) {
  /** Whether a spot pool holds the Host. */
  public boolean isSpot() {
    return computeClass.equalsIgnoreCase("spot");
  }
}
