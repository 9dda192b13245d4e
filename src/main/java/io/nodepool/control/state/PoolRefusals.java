package io.nodepool.control.state;

import io.nodepool.control.write.BackOff;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot.RefusedAssignments;
import io.nodepool.model.snapshot.PoolSnapshot.RefusedStatus;
import java.time.Instant;
import java.util.Optional;

/** The writes for one pool that the API server refuses. Confined to the decision thread. */
public final class PoolRefusals {
  private Optional<RefusedStatus> status = Optional.empty();
  private Optional<RefusedAssignments> assignments = Optional.empty();

  /** The consecutive rounds of refused assignments. */
  private int rounds;

  /** Whether this process received an answer to an assignment. */
  private boolean answered;

  /** The last refusal of its status because of what it contains. */
  public Optional<RefusedStatus> status() {
    return status;
  }

  /** The server refused a status because of what it contains. */
  public void refused(RefusedStatus next) {
    status = Optional.of(next);
  }

  /** A status was published. */
  public void published(Instant now) {
    status = status.filter(refusal -> now.isBefore(refusal.until()));
  }

  /**
   * The server refused to assign a Host; assignments that were requested together count as one
   * round.
   */
  public void refusedAssignment(String why, BackOff backOff, Instant now) {
    answered = true;
    Instant notBefore = assignments.map(RefusedAssignments::notBefore).orElse(Instant.MIN);
    if (!now.isBefore(notBefore)) {
      rounds++;
      notBefore = now.plus(backOff.after(rounds));
    }
    assignments = Optional.of(new RefusedAssignments(why, notBefore));
  }

  /** A Host was assigned. */
  public void assigned() {
    answered = true;
    rounds = 0;
    assignments = Optional.empty();
  }

  /** The refusals for a pool with this published status; own answers take precedence. */
  public PoolSnapshot.Refusals seen(PoolStatus published) {
    return new PoolSnapshot.Refusals(
        status, answered ? assignments : RefusedAssignments.published(published));
  }
}
