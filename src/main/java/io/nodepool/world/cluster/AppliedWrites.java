package io.nodepool.world.cluster;

import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.vocabulary.condition.NodeCondition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The number of writes of each kind that took effect: one half of the differential oracle. */
public final class AppliedWrites {
  /** The kinds of write that end something; the names of their objects are recorded. */
  private static final Set<String> NAMED =
      Set.of("evict Pod", "delete Pod", "delete Node", "stop Host", "cancel Host");

  private final SortedMap<String, Integer> counts = new TreeMap<>();
  private final SortedMap<String, List<String>> names = new TreeMap<>();

  /**
   * Counts a write, unless it changed nothing, as a duplicate does.
   *
   * @param registers whether it registers a Node that was not registered before
   */
  void took(Action action, boolean registers, boolean changed) {
    if (changed) {
      named(action);
      add(registers ? "register Node" : action.traits().word());
    } else if (action instanceof Action.EvictPod) {
      add("evict Pod without effect");
    }
  }

  /** Whether a write registers a Node that is not registered. */
  static boolean registers(Action action, Map<String, Node> nodes) {
    return action instanceof Action.WriteNode write
        && write
            .change()
            .conditionSet(NodeCondition.REGISTERED)
            .filter(ConditionChange.Set::status)
            .isPresent()
        && Optional.ofNullable(nodes.get(write.node()))
            .filter(node -> !node.registered())
            .isPresent();
  }

  /** Records the object that a write deleted, stopped or released. */
  private void named(Action action) {
    String name = NAMED.contains(action.traits().word()) ? action.subject().text() : "";
    if (!name.isEmpty()) {
      List<String> sorted =
          names.computeIfAbsent(action.traits().word(), what -> new ArrayList<>());
      sorted.add(name);
      Collections.sort(sorted);
    }
  }

  /** Names of the objects that were deleted, stopped or released, by kind of write. */
  public SortedMap<String, List<String>> names() {
    return Collections.unmodifiableSortedMap(names);
  }

  void joined() {
    add("create Node");
  }

  void poolGone() {
    add("delete NodePool");
  }

  /** A status write that changed nothing: always a fault. */
  public void empty() {
    add("publish nothing");
  }

  private void add(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** The number of writes so far, by kind. */
  public SortedMap<String, Integer> counts() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(counts));
  }

  /** The number of writes of this kind so far. */
  public int of(String what) {
    return counts.getOrDefault(what, 0);
  }

  /** The number of all writes so far. */
  public int total() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
