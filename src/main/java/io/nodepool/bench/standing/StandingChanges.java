package io.nodepool.bench.standing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A seeded sequence of changes to a cluster at rest, each of which requires a write of the operator
 * that a watch shows. No Node is changed twice, since the operator delays repeated requests. Pure.
 */
public final class StandingChanges {
  /** The kinds of changes. */
  public enum Kind {
    /** A tenant's Pod is bound to a Node: CWActive names one more. */
    POD_BOUND,
    /** A tenant's Pod is deleted: CWActive names one less, or none. */
    POD_ENDED,
    /** Another client changes a Node's pool label: the operator restores it. */
    LABEL_CHANGED,
    /** Another client inverts CWActive: the operator restores it. */
    CONDITION_CHANGED,
    /** The pool's target rises by one, or falls again: the pool's status reports it. */
    TARGET_MOVED
  }

  /**
   * One change.
   *
   * @param node the changed Node; an empty text if the pool is changed
   */
  record Change(Kind kind, String node) {}

  private static final int TARGET_EVERY = 10;
  private static final List<Kind> OF_NODES =
      List.of(Kind.POD_BOUND, Kind.POD_ENDED, Kind.LABEL_CHANGED, Kind.CONDITION_CHANGED);

  private StandingChanges() {}

  /**
   * At most {@code count} changes, and at most one for each Node. One in ten changes the target;
   * the others are of all kinds equally often, as far as there are Nodes with Pods.
   *
   * @param pods the number of Pods of each Node
   */
  static List<Change> of(Map<String, Integer> pods, int count, long seed) {
    Random random = new Random(seed);
    List<String> unchanged = new ArrayList<>(new TreeMap<>(pods).keySet());
    Collections.shuffle(unchanged, random);
    List<Change> changes = new ArrayList<>();
    while (changes.size() < Math.min(count, pods.size())) {
      if (random.nextInt(TARGET_EVERY) == 0) {
        changes.add(new Change(Kind.TARGET_MOVED, ""));
      } else {
        Kind kind = OF_NODES.get(random.nextInt(OF_NODES.size()));
        String node = unchanged.removeLast();
        boolean impossible = kind == Kind.POD_ENDED && pods.getOrDefault(node, 0) == 0;
        changes.add(new Change(impossible ? Kind.POD_BOUND : kind, node));
      }
    }
    return changes;
  }
}
