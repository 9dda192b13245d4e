package io.nodepool.model.node;

/**
 * The latest stage of a Node's drain, as recorded. A disruption enters each stage once, and reports
 * it before the operator acts on it.
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
