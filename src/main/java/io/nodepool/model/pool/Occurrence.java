package io.nodepool.model.pool;

/** What happens to the Nodes of a pool and is counted, so that the pool's Events tell of each. */
public enum Occurrence {
  /** A Node was chosen to leave the pool, and its mark was seen. */
  CHOSEN(true),
  /** The mark came with a cordon of ours. */
  CORDONED(true),
  /** Such a mark was taken back, and the cordon with it. */
  UNCORDONED(true),
  /** A Node that leaves has Pods, and their eviction began. */
  DRAINED(true),
  /** Budgets began to block such a drain. */
  BLOCKED(true),
  /** The deadline of such a drain passed. */
  FORCED(true),
  /** A Node that was leaving is gone. */
  REMOVED(true),
  /** A Node of the pool is registered for the first time. */
  REGISTERED(false),
  /** A registered Node is gone, or no longer the pool's, that the pool did not remove. */
  VANISHED(false),
  /** A Node got a taint by what it is or whom it is reserved for. */
  TAINTED(false),
  /** A Node lost such a taint because it is not due any more. */
  UNTAINTED(false);

  private final boolean ofBatch;

  Occurrence(boolean ofBatch) {
    this.ofBatch = ofBatch;
  }

  /** Whether it is counted anew in each batch of removals; else through the pool's life. */
  public boolean isOfBatch() {
    return ofBatch;
  }
}
