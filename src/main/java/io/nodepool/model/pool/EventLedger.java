package io.nodepool.model.pool;

import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrence;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Counts what one operator process observed to happen to the Nodes of a pool, and how much of it
 * the pool's Events have reported. Counts only grow, so that two occurrences that cancel each other
 * between two plans are both reported (decision D89).
 *
 * @param life what happened in the pool's life, other than in disruptions
 * @param batches the batch of each kind of disruption
 */
public record EventLedger(Tally life, Map<CountsAs, DisruptionBatch> batches) {
  /** The greatest number of names in a message. */
  public static final int NAMED = 5;

  /** So many names are kept until they are reported, to tell different Nodes from the same ones. */
  static final int KEPT = 100;

  /** No occurrences. */
  public static final EventLedger NONE = new EventLedger(Tally.NONE, Map.of());

  public EventLedger {
    EnumMap<CountsAs, DisruptionBatch> kept = new EnumMap<>(CountsAs.class);
    kept.putAll(batches);
    batches = Collections.unmodifiableMap(kept);
  }

  /** A ledger that starts with the occurrences of a published status. */
  public static EventLedger of(PoolStatus published) {
    EnumMap<CountsAs, DisruptionBatch> batches = new EnumMap<>(CountsAs.class);
    published.events().batches().forEach((as, batch) -> batches.put(as, DisruptionBatch.of(batch)));
    return new EventLedger(Tally.of(published.events().occurrences()), batches);
  }

  /** The current or last batch of disruptions of this kind. */
  public DisruptionBatch batch(CountsAs as) {
    return batches.getOrDefault(as, DisruptionBatch.NONE);
  }

  /** What is published of the batches; those that never began are left out. */
  public Map<CountsAs, BatchState> states() {
    EnumMap<CountsAs, BatchState> states = new EnumMap<>(CountsAs.class);
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

  /** The disruption of a Node began, whose drain has come this far. */
  public EventLedger begins(CountsAs as, String node, DrainStage stage) {
    return with(as, batch -> batch.begins(node, stage));
  }

  /** The disruption of a Node ended, for whatever cause; its drain had come this far. */
  public EventLedger ends(CountsAs as, DrainStage stage) {
    return with(as, batch -> batch.ends(stage));
  }

  /** The drain of a Node went from one stage to another. */
  public EventLedger moved(CountsAs as, DrainStage before, DrainStage now) {
    return with(as, batch -> batch.moved(before, now));
  }

  /** The last Node of a batch that was chosen, or cordoned, was so for this cause. */
  public EventLedger because(CountsAs as, String cause) {
    return with(as, batch -> batch.because(cause));
  }

  /** The batch with this number of drains that came so far. */
  public EventLedger drains(CountsAs as, BatchState.Drains drains) {
    return with(as, batch -> batch.withDrains(drains));
  }

  /** One more occurrence in a batch, on a Node of this name. */
  public EventLedger plus(CountsAs as, Occurrence what, String node) {
    return with(as, batch -> batch.plus(what, node));
  }

  /** This number of further occurrences in a batch, on Nodes that are not known. */
  public EventLedger plus(CountsAs as, Occurrence what, int times) {
    return with(as, batch -> batch.plus(what, times));
  }

  /** One more occurrence in the pool's life, on a Node of this name. */
  public EventLedger plus(Occurrence what, String node) {
    return new EventLedger(life.plus(what, node), batches);
  }

  /** This number of further occurrences in the pool's life, on Nodes that are not known. */
  public EventLedger plus(Occurrence what, int times) {
    return new EventLedger(life.plus(what, times), batches);
  }

  private EventLedger with(CountsAs as, UnaryOperator<DisruptionBatch> change) {
    EnumMap<CountsAs, DisruptionBatch> next = new EnumMap<>(CountsAs.class);
    next.putAll(batches);
    next.put(as, change.apply(batch(as)));
    return new EventLedger(life, next);
  }
}
