package io.nodepool.explain;

import java.util.List;

/**
 * What a pool does next, and why not more: the operator's plan, and the values that decided it. A
 * text may be empty.
 *
 * @param unit the unit of the pool's size: {@code Node} or {@code rack}
 * @param current how many of these units it has
 * @param target the target that is explained
 * @param sentence the outcome in a sentence
 * @param nodes its Nodes in the order of removal
 * @param holds what blocks its target, or needs a person
 * @param quota the pools that use the quota of its instance type, if that holds its growth
 * @param queue the pools that wait for machines of its type, in their order, if it waits too
 * @param rollout the Nodes that have not booted into the active configuration, in the order of
 *     their turns
 * @param limits how much of its limits is used
 */
public record PoolExplanation(
    String pool,
    String unit,
    int current,
    int target,
    String sentence,
    List<NodeFate> nodes,
    List<Hold> holds,
    List<PoolShare> quota,
    List<PoolShare> queue,
    List<NodeTurn> rollout,
    List<Level> limits) {
  /** The fate of a Node that leaves. */
  public static final String REMOVE = "remove";

  /**
   * The fate of a Node.
   *
   * @param rank its place among the Nodes that could leave, from 1; 0 if that is unknown
   * @param active whether it has tenant work
   * @param fate {@code remove}, {@code keep} or {@code unknown}
   * @param decidedBy what decided the fate
   * @param changesIf what would change it
   */
  public record NodeFate(
      int rank, String node, boolean active, String fate, String decidedBy, String changesIf) {}

  /**
   * A deviation of the pool.
   *
   * @param what the type of its condition, or another name
   * @param until what ends it
   */
  public record Hold(String what, String reason, String message, String until) {}

  /**
   * How many Nodes a pool has, or waits for.
   *
   * @param asked when it asked for Nodes; empty text if it did not
   */
  public record PoolShare(String pool, int nodes, String asked) {}

  /** The state of a Node in a rollout, and what it waits for. */
  public record NodeTurn(int place, String node, String stand, String waitsFor) {}

  /** How much of a limit is used. */
  public record Level(String limit, int count, int most) {}

  public PoolExplanation {
    nodes = List.copyOf(nodes);
    holds = List.copyOf(holds);
    quota = List.copyOf(quota);
    queue = List.copyOf(queue);
    rollout = List.copyOf(rollout);
    limits = List.copyOf(limits);
  }

  static PoolExplanation unreadable(String pool, String why) {
    return new PoolExplanation(
        pool,
        "Node",
        0,
        0,
        "does nothing",
        List.of(),
        List.of(new Hold("NodePool", "Unreadable", why, "a person corrects it")),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }
}
