package io.nodepool.model.node;

import java.time.Instant;

/**
 * Notes that are kept during an admitted disruption.
 *
 * @param passedOver when the pool may choose the Node again; {@link Instant#MIN} if it may at once
 * @param requested whether a client's removal request was recorded before
 */
public record DisruptionNotes(Instant passedOver, boolean requested) {
  /** No notes. */
  public static final DisruptionNotes NONE = new DisruptionNotes(Instant.MIN, false);

  DisruptionNotes withPassedOver(Instant until) {
    return new DisruptionNotes(until.isAfter(passedOver) ? until : passedOver, requested);
  }
}
