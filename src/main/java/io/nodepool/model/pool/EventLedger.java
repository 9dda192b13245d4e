package io.nodepool.model.pool;

import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrence;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Counts what one operator process observed to happen to the Nodes of a pool, and how much of it
 * the pool's Events have reported. Counts only grow, so that two occurrences that cancel each other
 * between two plans are both reported (decision D89).
 *
 * @param life the occurrences in the pool's life, outside disruptions
 * @param batches the batch of each kind of disruption
 */
public record EventLedger(Tally life, Map<CountsAs, DisruptionBatch> batches) {
  /** The greatest number of names in a message. */
  public static final int NAMED = 5;

  /** The number of names that are kept until they are reported, to distinguish Nodes. */
  static final int KEPT = 100;

  /** No occurrences. */
  public static final EventLedger NONE = new EventLedger(Tally.NONE, Map.of());

  public EventLedger {
    batches = Collections.unmodifiableMap(new TreeMap<>(batches));
  }

  /** A ledger that starts with the occurrences of a published status. */
  public static EventLedger of(PoolStatus published) {
    Map<CountsAs, DisruptionBatch> batches = new TreeMap<>();
    published.events().batches().forEach((as, batch) -> batches.put(as, DisruptionBatch.of(batch)));
    return new EventLedger(Tally.of(published.events().occurrences()), batches);
  }

  /** The current or last batch of disruptions of this kind. */
  public DisruptionBatch batch(CountsAs as) {
    return batches.getOrDefault(as, DisruptionBatch.NONE);
  }

  /** The published states of the batches; batches that never began are left out. */
  public Map<CountsAs, BatchState> states() {
    Map<CountsAs, BatchState> states = new TreeMap<>();
    batches.forEach((as, batch) -> {
      if (!batch.seen().equals(BatchState.NONE)) {
        states.put(as, batch.seen());
      }
    });
    return states;
  }

  /** This ledger with a status that was observed on the pool, whichever process published it. */
  public EventLedger published(PoolStatus status) {
    EventLedger next = new EventLedger(life.published(status.events().occurrences()), batches);
    for (CountsAs as : CountsAs.values()) {
      BatchState published = status.events().batch(as);
      next = next.with(as, batch -> batch.published(published));
    }
    return next;
  }

  /** One more occurrence in the pool's life, on a Node of this name. */
  public EventLedger plus(Occurrence what, String node) {
    return new EventLedger(life.plus(what, node), batches);
  }

  /** This number of further occurrences in the pool's life, on Nodes that are not known. */
  public EventLedger plus(Occurrence what, int times) {
    return new EventLedger(life.plus(what, times), batches);
  }

  /** This ledger after a change of the batch of this kind. */
  public EventLedger with(CountsAs as, UnaryOperator<DisruptionBatch> change) {
    Map<CountsAs, DisruptionBatch> next = new TreeMap<>(batches);
    next.put(as, change.apply(batch(as)));
    return new EventLedger(life, next);
  }
}
