package io.nodepool.model.pool;

/**
 * The Nodes that a pool is removing, as they stand. A batch begins when the first Node is chosen
 * and ends when none is on its way out any more; the last one stays to tell it from the next.
 *
 * @param number which batch it is, from 1; 0 before the first
 * @param terminating Nodes on their way out now
 * @param draining those of them whose Pods are being evicted
 * @param blocked those of them whose drain a budget blocks
 * @param forced those of them whose Pods are being deleted after the deadline
 * @param failing Nodes and machines whose removal meets an error again and again
 */
public record RemovalBatch(
    int number, int terminating, int draining, int blocked, int forced, int failing) {
  /** No Node was ever removed. */
  public static final RemovalBatch NONE = new RemovalBatch(0, 0, 0, 0, 0, 0);

  /** Whether Nodes of it are on their way out. */
  public boolean isUnderWay() {
    return terminating > 0;
  }

  /** The number of the batch that a Node belongs to which is chosen now. */
  public int current() {
    return isUnderWay() ? number : number + 1;
  }
}
