package io.nodepool.plan;

import io.nodepool.model.pool.Condition;
import io.nodepool.vocabulary.condition.PoolReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What a concern found: the reason and message of its condition. */
public record Finding(PoolReason reason, String message) {
  /**
   * The finding as a condition that begins now; conditions tell time in whole seconds, as
   * Kubernetes does.
   */
  public Condition at(Instant now) {
    return new Condition(reason, message, now.truncatedTo(ChronoUnit.SECONDS));
  }
}
