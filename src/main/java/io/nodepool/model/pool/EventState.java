package io.nodepool.model.pool;

import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrences;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The part of a pool's status that only its Events depend on. It is published with the status, so
 * that a restart emits no Event twice and loses none (decision D89).
 *
 * @param reachedTarget the target that the pool reached last; empty if it reached none
 * @param lastKnown for each condition that is Unknown, its reason before that
 * @param occurrences the occurrences on the pool's Nodes in its life, outside disruptions
 * @param batches the current or last batch of each kind of disruption
 * @param failingReboots the number of Nodes whose reboot or verification keeps failing
 */
public record EventState(
    OptionalInt reachedTarget,
    Map<PoolCondition, PoolReason> lastKnown,
    Occurrences occurrences,
    Map<CountsAs, BatchState> batches,
    int failingReboots) {
  /** No Event was emitted yet. */
  public static final EventState NONE =
      new EventState(OptionalInt.empty(), Map.of(), Occurrences.NONE, Map.of(), 0);

  public EventState {
    lastKnown = Collections.unmodifiableMap(new TreeMap<>(lastKnown));
    batches = Collections.unmodifiableMap(new TreeMap<>(batches));
  }

  /** The batch of disruptions of this kind. */
  public BatchState batch(CountsAs as) {
    return batches.getOrDefault(as, BatchState.NONE);
  }
}
