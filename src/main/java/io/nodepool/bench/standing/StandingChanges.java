package io.nodepool.bench.standing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A seeded row of changes to a cluster at rest, each of which the operator has to answer with a
 * write that a watch shows. No Node is changed twice, so that no answer repeats an earlier one and
 * has to wait for that. Pure.
 */
public final class StandingChanges {
  /** What is changed. */
  public enum Kind {
    /** A tenant's Pod is bound to a Node: CWActive names one more. */
    POD_BOUND,
    /** A tenant's Pod is deleted: CWActive names one less, or none. */
    POD_ENDED,
    /** A stranger changes the label that says which pool a Node belongs to: it is put right. */
    LABEL_CHANGED,
    /** A stranger turns CWActive over: it is put right. */
    CONDITION_CHANGED,
    /** The pool's target goes up by one, or back: the pool's status says so. */
    TARGET_MOVED
  }

  /**
   * One change.
   *
   * @param node the Node that it is about; empty text if it is about the pool
   */
  record Change(Kind kind, String node) {}

  private static final int TARGET_EVERY = 10;
  private static final List<Kind> OF_NODES =
      List.of(Kind.POD_BOUND, Kind.POD_ENDED, Kind.LABEL_CHANGED, Kind.CONDITION_CHANGED);

  private StandingChanges() {}

  /**
   * As many changes as are asked for, but no more than there are Nodes. One in ten is of the
   * target, the others are of all kinds equally often, as far as there are Nodes with Pods.
   *
   * @param pods how many Pods each Node has
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
