package io.nodepool.model.pool;

import java.time.Instant;

/**
 * The growth request that a pool last made; it stands on the pool, so that its place in the order
 * outlives the operator.
 *
 * @param askedAt when it was made: anew for each increment, kept when the target falls (decision
 *     D9)
 * @param target the size asked for
 * @param granted the size that quota allows it to reach; granted quota stays (decision D8)
 */
public record Growth(Instant askedAt, int target, int granted) {}
