package io.nodepool.world;

import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.plan.Rules;
import java.util.function.UnaryOperator;

/**
 * Parts of the operator that a run may replace, to see what a fault in them would do.
 *
 * @param rules changes the rules that are planned by
 * @param planner wraps the pool planner
 * @param writer wraps the writer
 * @param triggerFirst whether loops run on what a watch brought before it is folded, instead of
 *     after
 */
public record Parts(
    UnaryOperator<Rules> rules,
    UnaryOperator<PoolPlanning> planner,
    UnaryOperator<Writer> writer,
    boolean triggerFirst) {
  /** The operator as it is. */
  public static final Parts AS_BUILT =
      new Parts(rules -> rules, planner -> planner, writer -> writer, false);
}
