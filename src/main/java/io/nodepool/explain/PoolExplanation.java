package io.nodepool.explain;

import java.util.List;

/**
 * What a pool does next, and why not more: the plan of the operator, and the values that it decided
 * by. A text is empty if there is nothing to say.
 *
 * @param unit what the pool is sized in: {@code Node} or {@code rack}
 * @param current how many of these it has
 * @param target the target that is explained
 * @param sentence the outcome in a sentence
 * @param nodes its Nodes in the order in which they would leave
 * @param holds what keeps it from its target, or needs a person
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
   * What becomes of a Node.
   *
   * @param rank its place among the Nodes that could leave, from 1; 0 if that is unknown
   * @param active whether it has tenant work
   * @param fate {@code remove}, {@code keep} or {@code unknown}
   * @param decidedBy what decided that
   * @param changesIf what would change it
   */
  public record NodeFate(
      int rank, String node, boolean active, String fate, String decidedBy, String changesIf) {}

  /**
   * Something of the pool that is not as it should be.
   *
   * @param what the type of its condition, or what else has it
   * @param until what ends it
   */
  public record Hold(String what, String reason, String message, String until) {}

  /**
   * How many Nodes a pool has, or waits for.
   *
   * @param asked when it asked for them; empty text if it did not
   */
  public record PoolShare(String pool, int nodes, String asked) {}

  /** Where a Node stands in a rollout, and what it waits for. */
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
