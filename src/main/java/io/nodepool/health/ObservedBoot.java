package io.nodepool.health;

import java.time.Instant;
import java.util.Optional;

/**
 * The boot that a machine is on, as one process has observed it.
 *
 * @param id its id; empty text if it is not known; a boot that began later is another one, even
 *     with the same id
 * @param at when it began, by the fleet's clock; empty if it is not known
 * @param seen since when this process has observed it, by its own clock
 * @param ready since when this process has observed the Node Ready on it, by its own clock, whether
 *     or not it still is; empty if it was not Ready on this boot yet, or stopped being Ready within
 *     <i>clear</i>
 */
public record ObservedBoot(String id, Optional<Instant> at, Instant seen, Optional<Instant> ready) {
  /** Whether a signal is of an earlier boot than this one. */
  boolean isAfter(Signal signal) {
    boolean tellsBoots = !signal.bootId().isEmpty() && !id.isEmpty();
    return tellsBoots
        ? !signal.bootId().equals(id)
        : at.filter(signal.since()::isBefore).isPresent();
  }
}
