package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.time.Instant;

/**
 * One condition of a pool.
 *
 * @param since when its status last changed
 */
public record Condition(PoolReason reason, String message, Instant since) {
  /**
   * This condition as the successor of {@code previous}: the transition time changes only with the
   * status.
   */
  public Condition following(Condition previous) {
    return previous.reason.status() == reason.status()
        ? new Condition(reason, message, previous.since)
        : this;
  }
}
