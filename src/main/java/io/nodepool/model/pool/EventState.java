package io.nodepool.model.pool;

import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolReason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The part of a pool's status that only its Events depend on. It is published with the status, so
 * that a restart emits no Event twice and loses none (decision D89).
 *
 * @param reachedTarget the target that the pool reached last; empty if it reached none
 * @param lastKnown for each condition that is Unknown, its reason before that
 * @param occurrences the occurrences on the pool's Nodes: in the current or last batch of removals,
 *     and in the pool's life
 */
public record EventState(
    OptionalInt reachedTarget, Map<PoolCondition, PoolReason> lastKnown, Occurrences occurrences) {
  /** No Event was emitted yet. */
  public static final EventState NONE =
      new EventState(OptionalInt.empty(), Map.of(), Occurrences.NONE);

  public EventState {
    EnumMap<PoolCondition, PoolReason> ordered = new EnumMap<>(PoolCondition.class);
    ordered.putAll(lastKnown);
    lastKnown = Collections.unmodifiableMap(ordered);
  }
}
