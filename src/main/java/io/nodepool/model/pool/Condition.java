package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.PoolReason;
import java.time.Instant;

/**
 * One condition of a pool.
 *
 * @param since when its status last changed
 */
public record Condition(PoolReason reason, String message, Instant since) {
  /**
   * This finding as a condition that follows {@code previous}: the transition time moves only with
   * the status.
   */
  public Condition following(Condition previous) {
    return previous.reason.status() == reason.status()
        ? new Condition(reason, message, previous.since)
        : this;
  }
}
