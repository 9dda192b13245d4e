package io.nodepool.model.pool;

import io.nodepool.model.repair.RepairState;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The state of the Nodes that a pool is removing. A batch begins when the first Node is chosen and
 * ends when no Node is being removed; its number stays to distinguish it from the next batch.
 *
 * @param number number of the batch, from 1; 0 before the first
 * @param terminating number of Nodes being removed now
 * @param draining those of them whose Pods are being evicted
 * @param blocked those of them whose drain a budget blocks
 * @param forced those of them whose Pods are being deleted after the deadline
 * @param failing Nodes and machines whose removal keeps failing
 * @param failedReboots the Nodes that are to be removed since their machines did not come back
 * @param repairs the repairs of its machines
 */
@RecordBuilder
public record RemovalBatch(
    int number,
    int terminating,
    int draining,
    int blocked,
    int forced,
    int failing,
    FailedReboots failedReboots,
    RepairState repairs)
    implements RemovalBatchCopy.With {
  /** No Node was ever removed. */
  public static final RemovalBatch NONE = new RemovalBatch(0, 0, 0, 0, 0, 0);

  /** The state without failed reboots and repairs. */
  public RemovalBatch(
      int number, int terminating, int draining, int blocked, int forced, int failing) {
    this(
        number,
        terminating,
        draining,
        blocked,
        forced,
        failing,
        FailedReboots.NONE,
        RepairState.NONE);
  }
}
