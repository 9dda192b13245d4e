package io.nodepool.model.occurrence;

/**
 * What can happen to a Node of a pool. Each occurrence is counted, so that the pool's Events report
 * all of them: those of its disruptions in each batch of removals, of preemptions or of reboots,
 * and the others over the pool's life.
 */
public enum Occurrence {
  /** A disruption of the Node was admitted, or a cause made it one of this kind. */
  CHOSEN,
  /** The operator cordoned the Node for it. */
  CORDONED,
  /** The operator cordoned the Node again that another client had uncordoned. */
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
  /** The Node was drained, and its machine told to stop. */
  PREPARED,
  /** The Node was deleted, which the disruption had led to. */
  REMOVED,
  /** The pool came to hold another machine. */
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
