package io.nodepool.model.occurrence;

/**
 * What can happen to a Node of a pool. Each occurrence is counted, so that the pool's Events report
 * all of them. Occurrences of disruptions are counted in each batch of removals, preemptions or
 * reboots, and others over the pool's life.
 */
public enum Occurrence {
  /** A disruption of the Node was admitted, or a new cause changed its kind to this one. */
  CHOSEN,
  /** The operator cordoned the Node for it. */
  CORDONED,
  /** The operator cordoned the Node again after another client had uncordoned it. */
  CORDONED_AGAIN,
  /** The operator uncordoned the Node when the disruption ended. */
  UNCORDONED,
  /** The eviction of Pods of the Node began. */
  DRAINED,
  /** Budgets began to block its drain. */
  BLOCKED,
  /** The deadline of its drain passed. */
  FORCED,
  /** The disruption ended, and the Node stays in its pool or is disrupted in another way. */
  RETURNED,
  /** The Node was drained, and its machine was asked to stop. */
  PREPARED,
  /** The Node was deleted as the end of its disruption. */
  REMOVED,
  /** The pool holds one more machine. */
  ASSIGNED,
  /** A Node of the pool was registered for the first time. */
  REGISTERED,
  /**
   * A registered Node that the pool did not remove was deleted, or no longer belongs to the pool.
   */
  VANISHED,
  /** A Node gained a taint because of its kind or its reservation. */
  TAINTED,
  /** A Node lost such a taint because it no longer applies. */
  UNTAINTED
}
