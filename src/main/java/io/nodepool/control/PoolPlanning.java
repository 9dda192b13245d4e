package io.nodepool.control;

import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolPlan;
import java.time.Instant;

/**
 * Plans a pool from a snapshot. Pure, so that code which explains or previews a decision calls the
 * same function.
 */
@FunctionalInterface
public interface PoolPlanning {
  /** Returns the plan for a pool, at this instant. */
  PoolPlan plan(PoolSnapshot seen, Instant now);
}
