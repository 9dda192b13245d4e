package io.nodepool.model.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what one operator process observed to happen to the Nodes of a pool, and how much of it
 * the pool's Events have reported. Counts only grow, so that two occurrences that cancel each other
 * between two plans are both reported (decision D89).
 *
 * @param batch number of the current or last batch of removals, from 1; 0 before the first
 * @param terminating number of Nodes being removed now
 * @param seen the occurrences, in this batch and in the pool's life
 * @param emitted the published occurrences
 * @param names for each occurrence the first Nodes that are not known to be reported, for messages
 */
public record EventLedger(
    int batch,
    int terminating,
    Occurrences seen,
    Emitted emitted,
    Map<Occurrence, List<String>> names) {
  /** The greatest number of names in a message. */
  public static final int NAMED = 5;

  /** No occurrences. */
  public static final EventLedger NONE =
      new EventLedger(0, 0, Occurrences.NONE, Emitted.NOTHING, Map.of());

  /**
   * The occurrences that a published status reports.
   *
   * @param batch the batch that it reports
   * @param over whether no Node of the batch is being removed
   */
  public record Emitted(int batch, boolean over, Occurrences counts) {
    static final Emitted NOTHING = new Emitted(0, true, Occurrences.NONE);

    /** The occurrences that this status reports. */
    static Emitted of(PoolStatus status) {
      return new Emitted(
          status.removal().number(), !status.removal().isUnderWay(), status.events().occurrences());
    }

    /**
     * These occurrences with those of another status; the status of an earlier process may arrive
     * late.
     */
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

  /** A ledger that starts with the occurrences of a published status. */
  public static EventLedger of(PoolStatus published) {
    return new EventLedger(
        published.removal().number(),
        published.removal().terminating(),
        published.events().occurrences(),
        Emitted.of(published),
        Map.of());
  }

  /** The number of occurrences that the pool's Events have reported. */
  public int published(Occurrence what) {
    return what.isOfBatch() && emitted.batch() != batch ? 0 : emitted.counts().of(what);
  }

  /** The first Nodes with this occurrence, sorted. */
  public List<String> named(Occurrence what) {
    return names.getOrDefault(what, List.of()).stream().sorted().toList();
  }

  /** This ledger with a status that was observed on the pool, whichever process published it. */
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

  /** The removal of a Node began; the first one begins a new batch. */
  public EventLedger begins(String node) {
    return (terminating == 0 && isEmitted() ? nextBatch() : this)
        .with(terminating + 1)
        .plus(Occurrence.CHOSEN, node);
  }

  /** The removal of a Node ended, for whatever cause. */
  public EventLedger ends() {
    return with(Math.max(0, terminating - 1));
  }

  private EventLedger with(int nextTerminating) {
    return new EventLedger(batch, nextTerminating, seen, emitted, names);
  }

  /**
   * Whether the batch is completely reported. Only then may the next one begin, because unreported
   * occurrences would be lost.
   */
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

  /** One more occurrence, on a Node of this name. */
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

  /** This number of further occurrences, on Nodes that are not known. */
  public EventLedger plus(Occurrence what, int times) {
    return times <= 0
        ? this
        : new EventLedger(batch, terminating, seen.plus(what, times), emitted, names);
  }
}
