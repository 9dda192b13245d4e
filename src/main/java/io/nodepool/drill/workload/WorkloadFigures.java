package io.nodepool.drill.workload;

import java.time.Duration;

/**
 * The figures of a workload so far.
 *
 * @param wanted how many Pods it wants now
 * @param running how many run
 * @param pending how many wait for a Node
 * @param completed how many Pods of a Job are done
 * @param ended how many Pods ended before their work was done, other than by its owner
 * @param lost the work that was done and not saved, over all Pods or gangs
 * @param waited the longest wait of a Pod for a Node
 * @param effective the time in which its work was done and not lost, over all Pods or gangs
 * @param existed the time in which it could have been done
 */
public record WorkloadFigures(
    int wanted,
    int running,
    int pending,
    int completed,
    int ended,
    Duration lost,
    Duration waited,
    Duration effective,
    Duration existed) {
  /** The share of the time in which its work was done and not lost, from 0 to 1; 1 at its start. */
  public double share() {
    return existed.isZero() ? 1 : (double) effective.toMillis() / existed.toMillis();
  }
}
