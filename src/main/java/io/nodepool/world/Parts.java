package io.nodepool.world;

import io.nodepool.control.Writer;
import java.util.function.UnaryOperator;

/**
 * Parts of the operator that a run may replace, to see what a fault in them would do.
 *
 * @param writer wraps the writer
 */
public record Parts(UnaryOperator<Writer> writer) {
  /** The operator as it is. */
  public static final Parts AS_BUILT = new Parts(writer -> writer);
}
