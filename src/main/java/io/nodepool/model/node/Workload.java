package io.nodepool.model.node;

/**
 * How much runs on a Node (contract §11).
 *
 * @param working live Pods of tenants that are not to be interrupted
 * @param interruptible live Pods of tenants that may be interrupted
 * @param locked whether SUNK holds the Node for a Slurm job
 */
public record Workload(int working, int interruptible, boolean locked) {
  /** Nothing runs. */
  public static final Workload NONE = new Workload(0, 0, false);

  /** Whether the Node has work that keeps it (decision D18). */
  public boolean isBusy() {
    return working > 0 || locked;
  }

  /** Live Pods of tenants. */
  public int pods() {
    return working + interruptible;
  }
}
