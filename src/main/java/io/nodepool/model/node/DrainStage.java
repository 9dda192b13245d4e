package io.nodepool.model.node;

/**
 * How far the drain of a Node came at most, as it is recorded: each stage is entered once in a
 * disruption, and reported before what it stands for is done.
 */
public enum DrainStage {
  /** No Pod had to be evicted so far. */
  NONE,
  /** Pods are evicted. */
  BEGUN,
  /** PodDisruptionBudgets blocked evictions. */
  BLOCKED,
  /** The deadline passed, and the Pods that were left are deleted. */
  FORCED
}
