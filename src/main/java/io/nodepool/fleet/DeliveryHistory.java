package io.nodepool.fleet;

import java.time.Instant;
import java.util.Optional;

/**
 * How a Host did when it was to be delivered to pools.
 *
 * @param failure the failures since it last registered; empty if there are none
 * @param setAside why it is not to be assigned at all; empty text if it may be. A person may set
 *     and clear it too
 */
public record DeliveryHistory(Optional<Failure> failure, String setAside) {
  /** Nothing is held against the Host. */
  public static final DeliveryHistory CLEAN = new DeliveryHistory(Optional.empty(), "");

  /**
   * Deliveries that came to nothing, in a row.
   *
   * @param count how many, at least one
   * @param at when the last one was given up
   * @param cause why, in words
   * @param notBefore when the Host may be assigned again
   */
  public record Failure(int count, Instant at, String cause, Instant notBefore) {}

  /** Whether it may never be assigned until a person clears it. */
  public boolean isSetAside() {
    return !setAside.isEmpty();
  }
}
