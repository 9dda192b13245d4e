package io.nodepool.fleet;

import java.time.Instant;
import java.util.Optional;

/**
 * The record of a Host's failed deliveries to pools.
 *
 * @param failure the consecutive failures since its Node last registered; empty if there are none
 * @param setAside why the Host must not be assigned; empty text if it may be assigned. A person may
 *     set and clear it too
 */
public record DeliveryHistory(Optional<Failure> failure, String setAside) {
  /** No failures. */
  public static final DeliveryHistory CLEAN = new DeliveryHistory(Optional.empty(), "");

  /**
   * Consecutive failed deliveries.
   *
   * @param count their number, at least one
   * @param at when the last delivery failed
   * @param cause why the last delivery failed, as text
   * @param notBefore when the Host may be assigned again
   */
  public record Failure(int count, Instant at, String cause, Instant notBefore) {}

  /** Whether the Host must not be assigned until a person clears it. */
  public boolean isSetAside() {
    return !setAside.isEmpty();
  }
}
