package io.nodepool.model.pool;

import java.time.Instant;

/**
 * The last growth request of a pool. It is published in the pool's status, so that its place in the
 * order survives a restart of the operator.
 *
 * @param askedAt when it was made; each increment is a new request, a lower target keeps the
 *     instant (decision D9)
 * @param target the requested size, in Nodes
 * @param granted the size that the quota allows it to reach; granted quota stays granted (decision
 *     D8)
 * @param reached the most Nodes that the pool had, up to its present target: Nodes missing from
 *     this number are being replaced, and further Nodes are growth (decision D155)
 */
public record Growth(Instant askedAt, int target, int granted, int reached) {
  /** This request of a pool that has this many registered Nodes. */
  public Growth reachedBy(int current) {
    return new Growth(askedAt, target, granted, Math.min(target, Math.max(reached, current)));
  }
}
