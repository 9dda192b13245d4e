package io.nodepool.plan;

/**
 * How a preemption ended.
 *
 * @param podsCutOff the number of Pods that its end cut off; 0 if the Node was drained in time
 */
public record PreemptionOutcome(int podsCutOff) {}
