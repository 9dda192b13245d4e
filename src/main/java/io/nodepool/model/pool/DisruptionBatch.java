package io.nodepool.model.pool;

import io.nodepool.model.node.DrainStage;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one operator process observed of the current or last batch of disruptions of one kind.
 *
 * @param seen the batch as it was observed
 * @param published the batch as the pool's status contains it
 * @param names for each occurrence the first Nodes in the batch, for messages
 */
public record DisruptionBatch(
    BatchState seen, BatchState published, Map<Occurrence, List<String>> names) {
  /** No Node was ever disrupted in this way. */
  public static final DisruptionBatch NONE =
      new DisruptionBatch(BatchState.NONE, BatchState.NONE, Map.of());

  public DisruptionBatch {
    Map<Occurrence, List<String>> kept = new TreeMap<>(names);
    kept.replaceAll((_, nodes) -> List.copyOf(nodes));
    names = Collections.unmodifiableMap(kept);
  }

  /** The batch that a status publishes. */
  static DisruptionBatch of(BatchState published) {
    return new DisruptionBatch(published, published, Map.of());
  }

  /** How often this happened in the batch. */
  public int count(Occurrence what) {
    return seen.counts().of(what);
  }

  /** Whether it happened more often than the pool's Events have reported. */
  public boolean isUnreported(Occurrence what) {
    int reported = published.number() == seen.number() ? published.counts().of(what) : 0;
    return count(what) > reported;
  }

  /** The first Nodes with this occurrence in the batch, sorted, without repetition. */
  public List<String> named(Occurrence what) {
    return names.getOrDefault(what, List.of()).stream().sorted().toList();
  }

  /**
   * Whether a Node may have had an occurrence of the batch more than once, because disruptions in
   * it ended with a Node that stays.
   */
  public boolean mayRepeat(Occurrence what) {
    int most = count(what);
    return most > Math.max(1, named(what).size()) && count(Occurrence.RETURNED) > 0;
  }

  /** This batch with a status of the pool; a status of an earlier process may arrive late. */
  DisruptionBatch published(BatchState status) {
    BatchState newest = published;
    if (status.number() > published.number()) {
      newest = status;
    } else if (status.number() == published.number()) {
      newest = status.max(published);
    }
    if (newest.number() > seen.number()) {
      BatchState others = newest.withUnderWay(seen.underWay()).withDrains(seen.drains());
      return new DisruptionBatch(others, newest, Map.of());
    }
    BatchState both = newest.number() == seen.number() ? seen.max(newest) : seen;
    return new DisruptionBatch(both, newest, names);
  }

  /** The disruption of a Node began; the first one begins a new batch. */
  public DisruptionBatch begins(String node, DrainStage stage) {
    DisruptionBatch batch =
        !seen.isUnderWay() && isPublished()
            ? new DisruptionBatch(BatchState.begin(seen.number() + 1), published, Map.of())
            : this;
    return batch
        .with(batch.seen.withUnderWay(batch.seen.underWay() + 1))
        .moved(DrainStage.NONE, stage)
        .plus(Occurrence.CHOSEN, node);
  }

  /** The disruption of a Node ended; its drain had reached this stage. */
  public DisruptionBatch ends(DrainStage stage) {
    return with(seen.withUnderWay(Math.max(0, seen.underWay() - 1))).moved(stage, DrainStage.NONE);
  }

  /** The drain of a Node went from one stage to another. */
  public DisruptionBatch moved(DrainStage before, DrainStage now) {
    return with(seen.withDrains(seen.drains().minus(before).plus(now)));
  }

  /** The last Node was chosen, or cordoned, for this cause. */
  public DisruptionBatch because(String cause) {
    return with(seen.because(cause));
  }

  /**
   * The words of the causes for which its Nodes had this occurrence; none if the cause of any is
   * not known, as when an earlier version counted it.
   */
  public List<String> causes(Occurrence what) {
    int known = seen.causes().values().stream().mapToInt(Integer::intValue).sum();
    return known < count(what) ? List.of() : List.copyOf(seen.causes().keySet());
  }

  /** The batch with these numbers of drains. */
  public DisruptionBatch withDrains(BatchState.Drains drains) {
    return with(seen.withDrains(drains));
  }

  private DisruptionBatch with(BatchState next) {
    return new DisruptionBatch(next, published, names);
  }

  /**
   * Whether the batch is completely reported. Only then may the next one begin, because unreported
   * occurrences would be lost.
   */
  private boolean isPublished() {
    return seen.number() == 0
        || (published.number() == seen.number()
            && !published.isUnderWay()
            && seen.counts().counts().keySet().stream().noneMatch(this::isUnreported));
  }

  /** One more occurrence, on a Node of this name. */
  public DisruptionBatch plus(Occurrence what, String node) {
    Map<Occurrence, List<String>> next = new TreeMap<>(names);
    List<String> nodes = new ArrayList<>(named(what));
    if (nodes.size() < EventLedger.KEPT && !nodes.contains(node)) {
      nodes.add(node);
      next.put(what, nodes);
    }
    return new DisruptionBatch(seen.plus(what, 1), published, next);
  }

  /** This number of further occurrences, on Nodes that are not known. */
  public DisruptionBatch plus(Occurrence what, int times) {
    return with(seen.plus(what, times));
  }
}
