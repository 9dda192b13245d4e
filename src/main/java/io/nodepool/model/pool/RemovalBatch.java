package io.nodepool.model.pool;

/**
 * The state of the Nodes that a pool is removing. A batch begins when the first Node is chosen and
 * ends when no Node is being removed; its number stays to distinguish it from the next batch.
 *
 * @param number number of the batch, from 1; 0 before the first
 * @param terminating number of Nodes being removed now
 * @param draining number of these Nodes whose Pods are being evicted
 * @param blocked number of these Nodes whose drain a budget blocks
 * @param forced number of these Nodes whose Pods are being deleted after the deadline
 * @param failing Nodes and machines whose removal keeps failing
 */
public record RemovalBatch(
    int number, int terminating, int draining, int blocked, int forced, int failing) {
  /** No Node was ever removed. */
  public static final RemovalBatch NONE = new RemovalBatch(0, 0, 0, 0, 0, 0);
}
