package io.nodepool.world;

import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import java.util.function.UnaryOperator;

/**
 * Parts of the operator that a run may replace, to see what a fault in them would do.
 *
 * @param planner wraps the pool planner
 * @param writer wraps the writer
 * @param triggerFirst whether loops run on what a watch brought before it is folded, instead of
 *     after
 */
public record Parts(
    UnaryOperator<PoolPlanning> planner, UnaryOperator<Writer> writer, boolean triggerFirst) {
  /** The operator as it is. */
  public static final Parts AS_BUILT = new Parts(planner -> planner, writer -> writer, false);
}
