package io.nodepool.control;

import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.plan.PoolPlan;
import java.time.Instant;

/**
 * Plans a pool from a snapshot. Pure; what explains or rehearses a decision calls the same
 * function.
 */
@FunctionalInterface
public interface PoolPlanning {
  /** The plan for what is seen, at this instant. */
  PoolPlan plan(PoolSnapshot seen, Instant now);
}
