package io.nodepool.plan.report;

import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot.RefusedAssignments;
import io.nodepool.plan.Finding;
import io.nodepool.vocabulary.condition.CapacityReason;
import java.util.Optional;

/**
 * The API server refuses to assign Hosts to a pool, for instance because of an admission policy. It
 * is no lack of machines: no Host is blamed for it, one is tried at a time, and the conditions
 * contain the server's error, which names who refuses (decision D185).
 */
public final class AssignmentRefusal {
  private AssignmentRefusal() {}

  /**
   * The message that reports the refusal; empty without one, and while the pool wants no Host.
   *
   * @param granted the number of Hosts that the pool may hold now
   */
  public static Optional<String> of(PoolSnapshot seen, int granted) {
    return seen.refusals()
        .assignments()
        .filter(_ -> granted > seen.held() - seen.assigning())
        .map(RefusedAssignments::message);
  }

  /** How many Hosts are available is not known while assignments are refused. */
  public static Finding capacity(String message) {
    return new Finding(CapacityReason.INTERNAL_ERROR, message);
  }

  /** Whether the status reports a refusal. */
  static boolean isReported(PoolStatus status) {
    return RefusedAssignments.published(status).isPresent();
  }
}
