package io.nodepool.fleet;

import java.time.Instant;

/**
 * A Host's tenancy of a pool.
 *
 * @param operation the derived id of the operation that made it; the same need always yields the
 *     same id
 * @param at when it was made, by the operator's clock
 */
public record Assignment(
    PoolId pool, String computeClass, String operation, Instant at, NodeTemplate node) {}
