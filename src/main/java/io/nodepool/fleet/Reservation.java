package io.nodepool.fleet;

import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.TextHash;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.TaintEffect;
import java.util.Optional;

/**
 * The reservation of a Node, as its label {@code node.coreweave.cloud/reserved} records it, and the
 * taint of that reservation (contract §9 and §10; decisions D15 and D16).
 */
public final class Reservation {
  /** The state of a Node that may run tenant work. */
  public static final String PRODUCTION = LifecycleState.PRODUCTION.word();

  /** The label value of a Node that runs only control-plane work. */
  public static final String CONTROL_PLANE = "control-plane";

  /** The name of the pool whose Nodes belong to the control plane (contract §1). */
  public static final String CONTROL_PLANE_POOL = "cpu-control-plane";

  private static final int HASH_DIGITS = 16;

  private Reservation() {}

  /** The default label value of a Node in this state, in the pool of this name. */
  public static String of(String state, String pool, String organization) {
    if (!state.equals(PRODUCTION)) {
      return state;
    }
    return pool.equals(CONTROL_PLANE_POOL) ? CONTROL_PLANE : organization;
  }

  /**
   * The taint of a Node in this state with this label value; empty if the Node may run tenant work.
   */
  public static Optional<Taint> taint(String state, String reserved) {
    return state.equals(PRODUCTION) && !reserved.equals(CONTROL_PLANE)
        ? Optional.empty()
        : Optional.of(taint(reserved, TaintEffect.NO_EXECUTE));
  }

  /** The taint of a Node that will be reserved for this value once its tenant work has ended. */
  public static Taint pending(String desired) {
    return taint(desired, TaintEffect.NO_SCHEDULE);
  }

  private static Taint taint(String reserved, TaintEffect effect) {
    return new Taint(NodeTaints.RESERVED.key(), TextHash.of(reserved, HASH_DIGITS), effect.word());
  }
}
