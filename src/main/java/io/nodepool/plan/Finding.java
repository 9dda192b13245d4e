package io.nodepool.plan;

import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The result of a concern: the reason and message of its condition. */
public record Finding(PoolReason reason, String message) {
  /** The greatest length of a message, in characters; far below the limit of a condition. */
  private static final int LONGEST_MESSAGE = 4096;

  public Finding {
    message = UserText.shortened(message, LONGEST_MESSAGE);
  }

  /** The finding of a reason with its own message. */
  public static Finding of(PoolReason reason) {
    return new Finding(reason, reason.message().orElseThrow());
  }

  /**
   * The condition that follows the published one. Its transition time is now, in whole seconds as
   * in Kubernetes, unless its status is unchanged.
   */
  public Condition after(PoolStatus published, Instant now) {
    Condition next = new Condition(reason, message, now.truncatedTo(ChronoUnit.SECONDS));
    return published.condition(reason.condition()).map(next::following).orElse(next);
  }
}
