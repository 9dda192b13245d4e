package io.nodepool.model.occurrence;

import io.nodepool.model.node.DrainStage;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A batch of disruptions of one kind, as it is published. It begins when the first Node is
 * disrupted in that way, and ends when none is; its number stays to distinguish it from the next.
 *
 * @param number number of the batch, from 1; 0 before the first
 * @param underWay how many disruptions are under way
 * @param drains how far the drains of these disruptions came
 * @param counts what happened in the batch
 * @param causes the number of Nodes that were chosen, or for a reboot cordoned by the operator, by
 *     the word of the cause; a Node with several causes counts for the first
 */
@RecordBuilder
public record BatchState(
    int number, int underWay, Drains drains, Occurrences counts, SortedMap<String, Integer> causes)
    implements BatchStateCopy.With {
  /** No Node was ever disrupted in this way. */
  public static final BatchState NONE = begin(0);

  public BatchState {
    causes = Collections.unmodifiableSortedMap(new TreeMap<>(causes));
  }

  /** A batch with this number, in which nothing happened yet. */
  public static BatchState begin(int number) {
    return new BatchState(number, 0, Drains.NONE, Occurrences.NONE, Collections.emptySortedMap());
  }

  /**
   * The numbers of drains of disruptions under way that reached each stage or a later one.
   *
   * @param begun drains that evicted Pods
   * @param blocked drains that budgets blocked, or whose deadline passed
   * @param forced drains whose deadline passed
   */
  public record Drains(int begun, int blocked, int forced) {
    /** No drain. */
    public static final Drains NONE = new Drains(0, 0, 0);

    /** These drains and one more that reached this stage. */
    public Drains plus(DrainStage stage) {
      return with(stage, 1);
    }

    /** These drains without one that reached this stage. */
    public Drains minus(DrainStage stage) {
      return with(stage, -1);
    }

    private Drains with(DrainStage stage, int more) {
      return new Drains(
          begun + (stage.compareTo(DrainStage.BEGUN) >= 0 ? more : 0),
          blocked + (stage.compareTo(DrainStage.BLOCKED) >= 0 ? more : 0),
          forced + (stage == DrainStage.FORCED ? more : 0));
    }
  }

  /** Whether Nodes of the batch are being disrupted. */
  public boolean isUnderWay() {
    return underWay > 0;
  }

  /** This batch with one more Node that was chosen, or cordoned, for this cause. */
  public BatchState because(String cause) {
    SortedMap<String, Integer> next = new TreeMap<>(causes);
    next.merge(cause, 1, Integer::sum);
    return withCauses(next);
  }

  /** This batch with the counts of another process; each process observed all or a part of it. */
  public BatchState max(BatchState other) {
    SortedMap<String, Integer> most = new TreeMap<>(causes);
    other.causes.forEach((cause, nodes) -> most.merge(cause, nodes, Math::max));
    return withCounts(counts.max(other.counts)).withCauses(most);
  }

  /** This batch with this number of further occurrences. */
  public BatchState plus(Occurrence what, int times) {
    return times <= 0 ? this : withCounts(counts.plus(what, times));
  }
}
