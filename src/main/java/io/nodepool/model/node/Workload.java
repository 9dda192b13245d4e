package io.nodepool.model.node;

/**
 * The workload of a Node (contract §11).
 *
 * @param working number of live tenant Pods that may not be interrupted
 * @param interruptible number of live tenant Pods that may be interrupted
 * @param locked whether SUNK's lock taint reserves the Node for a Slurm job
 */
public record Workload(int working, int interruptible, boolean locked) {
  /** No workload. */
  public static final Workload NONE = new Workload(0, 0, false);

  /** Whether the Node has work that keeps it (decision D18). */
  public boolean isBusy() {
    return working > 0 || locked;
  }

  /** The number of live tenant Pods. */
  public int pods() {
    return working + interruptible;
  }
}
