package io.nodepool.fleet;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The assignment of a Host to a pool.
 *
 * @param operation the derived id of the operation that made it; the same Host, tenancy and pool
 *     always give the same id
 * @param at when it was made, by the operator's clock
 * @param preserved why and until when the machine is kept for inspection; empty while it serves its
 *     pool
 */
@RecordBuilder
public record Assignment(
    PoolId pool,
    String computeClass,
    String operation,
    Instant at,
    NodeTemplate node,
    Optional<Preserved> preserved)
    implements AssignmentCopy.With {
  /**
   * A faulty machine is kept for inspection (decision D316). It is no longer a member of its pool,
   * and counts neither in the pool's size nor in its quota.
   *
   * @param alert the alert for which it was taken out of service
   * @param until when it is stopped at the latest
   */
  public record Preserved(String alert, Instant until) {}

  /** The assignment of a machine that serves its pool. */
  public Assignment(
      PoolId pool, String computeClass, String operation, Instant at, NodeTemplate node) {
    this(pool, computeClass, operation, at, node, Optional.empty());
  }

  /** Whether a spot pool holds the Host. */
  public boolean isSpot() {
    return computeClass.equalsIgnoreCase("spot");
  }
}
