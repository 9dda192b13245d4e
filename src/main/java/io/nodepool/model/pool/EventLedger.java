package io.nodepool.model.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What one operator saw happen to the Nodes of a pool, beside what the pool's Events have told of
 * it. Counts only grow, so that two things that cancel each other between two looks are both told
 * (decision D89).
 *
 * @param batch number of the present or last batch of removals, from 1; 0 before the first
 * @param terminating Nodes on their way out now
 * @param seen what has happened, in this batch and in the pool's life
 * @param emitted how much of it is published
 * @param names the first Nodes of each that are not known to be told, for messages
 */
public record EventLedger(
    int batch,
    int terminating,
    Occurrences seen,
    Emitted emitted,
    Map<Occurrence, List<String>> names) {
  /** As many names as a message has room for. */
  public static final int NAMED = 5;

  /** Nothing was seen. */
  public static final EventLedger NONE =
      new EventLedger(0, 0, Occurrences.NONE, Emitted.NOTHING, Map.of());

  /**
   * What a published status tells.
   *
   * @param batch the batch that it speaks of
   * @param over whether no Node of it is on its way out
   */
  public record Emitted(int batch, boolean over, Occurrences counts) {
    static final Emitted NOTHING = new Emitted(0, true, Occurrences.NONE);

    /** What this status tells. */
    static Emitted of(PoolStatus status) {
      return new Emitted(
          status.removal().number(), !status.removal().isUnderWay(), status.events().occurrences());
    }

    /** With a later status; one of a process that is gone may arrive late. */
    Emitted with(Emitted next) {
      if (next.batch != batch) {
        Emitted newer = next.batch > batch ? next : this;
        Emitted older = next.batch > batch ? this : next;
        return new Emitted(newer.batch, newer.over, newer.counts.max(older.counts.ofLife()));
      }
      return new Emitted(batch, next.over, counts.max(next.counts));
    }
  }

  public EventLedger {
    EnumMap<Occurrence, List<String>> kept = new EnumMap<>(Occurrence.class);
    names.forEach((what, nodes) -> kept.put(what, List.copyOf(nodes)));
    names = Collections.unmodifiableMap(kept);
  }

  /** A ledger that begins with what a status tells. */
  public static EventLedger of(PoolStatus published) {
    return new EventLedger(
        published.removal().number(),
        published.removal().terminating(),
        published.events().occurrences(),
        Emitted.of(published),
        Map.of());
  }

  /** How often it was seen that the pool's Events have told of. */
  public int told(Occurrence what) {
    return what.isOfBatch() && emitted.batch() != batch ? 0 : emitted.counts().of(what);
  }

  /** The first Nodes that it happened to, sorted. */
  public List<String> named(Occurrence what) {
    return names.getOrDefault(what, List.of()).stream().sorted().toList();
  }

  /** This ledger with a status that was seen on the pool, whoever published it. */
  public EventLedger published(PoolStatus status) {
    Emitted all = emitted.with(Emitted.of(status));
    Occurrences own = all.batch() > batch ? seen.ofLife() : seen;
    Occurrences others = all.batch() < batch ? all.counts().ofLife() : all.counts();
    Occurrences both = own.max(others);
    EnumMap<Occurrence, List<String>> left = new EnumMap<>(Occurrence.class);
    names.forEach((what, nodes) -> {
      if (what.isOfBatch() || all.counts().of(what) < both.of(what)) {
        left.put(what, nodes);
      }
    });
    return new EventLedger(Math.max(batch, all.batch()), terminating, both, all, left);
  }

  /** A Node has begun to leave; the first of a batch begins it. */
  public EventLedger begins(String node) {
    return (terminating == 0 && isEmitted() ? nextBatch() : this)
        .with(terminating + 1)
        .plus(Occurrence.CHOSEN, node);
  }

  /** A Node that was leaving does not any more, for whatever cause. */
  public EventLedger ends() {
    return with(Math.max(0, terminating - 1));
  }

  private EventLedger with(int nextLeaving) {
    return new EventLedger(batch, nextLeaving, seen, emitted, names);
  }

  /** A batch is over only once it was told that it is: what is not told yet would be lost. */
  private boolean isEmitted() {
    return batch == 0
        || (emitted.batch() == batch
            && emitted.over()
            && seen.counts().keySet().stream()
                .filter(Occurrence::isOfBatch)
                .allMatch(what -> emitted.counts().of(what) >= seen.of(what)));
  }

  private EventLedger nextBatch() {
    EnumMap<Occurrence, List<String>> left = new EnumMap<>(Occurrence.class);
    names.forEach((what, nodes) -> {
      if (!what.isOfBatch()) {
        left.put(what, nodes);
      }
    });
    return new EventLedger(batch + 1, terminating, seen.ofLife(), emitted, left);
  }

  /** This happened to a Node. */
  public EventLedger plus(Occurrence what, String node) {
    EnumMap<Occurrence, List<String>> next = new EnumMap<>(Occurrence.class);
    next.putAll(names);
    List<String> nodes = new ArrayList<>(named(what));
    if (nodes.size() < NAMED && !nodes.contains(node)) {
      nodes.add(node);
      next.put(what, nodes);
    }
    return new EventLedger(batch, terminating, seen.plus(what, 1), emitted, next);
  }

  /** This happened so many times, to whom is not known. */
  public EventLedger plus(Occurrence what, int times) {
    return times <= 0
        ? this
        : new EventLedger(batch, terminating, seen.plus(what, times), emitted, names);
  }
}
