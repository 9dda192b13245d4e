package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolReason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What the Events of a pool depend on and nothing else of its status says. It is published with the
 * status, so that a restart tells nothing twice and forgets nothing (decision D89).
 *
 * @param reachedTarget the target that the pool reached last; empty before the first
 * @param lastKnown the reason of each condition from before it became Unknown, while it is
 * @param occurrences what has happened to the pool's Nodes: in the present or last batch of
 *     removals, and in the pool's life
 */
public record EventState(
    OptionalInt reachedTarget, Map<PoolCondition, PoolReason> lastKnown, Occurrences occurrences) {
  /** Nothing was told yet. */
  public static final EventState NONE =
      new EventState(OptionalInt.empty(), Map.of(), Occurrences.NONE);

  public EventState {
    EnumMap<PoolCondition, PoolReason> ordered = new EnumMap<>(PoolCondition.class);
    ordered.putAll(lastKnown);
    lastKnown = Collections.unmodifiableMap(ordered);
  }
}
