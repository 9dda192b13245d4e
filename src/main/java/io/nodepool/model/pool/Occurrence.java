package io.nodepool.model.pool;

/**
 * What can happen to a Node of a pool. Each occurrence is counted, so that the pool's Events report
 * all of them.
 */
public enum Occurrence {
  /** A Node was chosen for removal, and its admission was observed. */
  CHOSEN(true),
  /** The operator cordoned the Node at its admission. */
  CORDONED(true),
  /** Such an admission was withdrawn, and the cordon with it. */
  UNCORDONED(true),
  /** The eviction of the Pods of a Node being removed began. */
  DRAINED(true),
  /** Budgets began to block such a drain. */
  BLOCKED(true),
  /** The deadline of such a drain passed. */
  FORCED(true),
  /** A Node being removed was deleted. */
  REMOVED(true),
  /** A Node of the pool was registered for the first time. */
  REGISTERED(false),
  /**
   * A registered Node that the pool did not remove was deleted, or no longer belongs to the pool.
   */
  VANISHED(false),
  /** A Node gained a taint because of its kind or its reservation. */
  TAINTED(false),
  /** A Node lost such a taint because it no longer applies. */
  UNTAINTED(false);

  private final boolean ofBatch;

  Occurrence(boolean ofBatch) {
    this.ofBatch = ofBatch;
  }

  /** Whether it is counted for each batch of removals; otherwise over the pool's life. */
  public boolean isOfBatch() {
    return ofBatch;
  }
}
