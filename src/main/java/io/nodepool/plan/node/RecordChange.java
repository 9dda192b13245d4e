package io.nodepool.plan.node;

import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
import java.time.Instant;
import java.util.Optional;

/**
 * What becomes of the record of a Node's disruption, given what is recorded and what is demanded.
 * {@link NodeDisruption} decides it; what is written for it, and which Events precede that, is in
 * {@link NodeRecord}.
 */
sealed interface RecordChange {
  /** The record stays, and what it says goes on. */
  Keep KEEP = new Keep(Optional.empty());

  /** The record stays, at least until this instant, and what it says goes on. */
  record Keep(Optional<Instant> until) implements RecordChange {
    static Keep until(Instant due) {
      return new Keep(Optional.of(due).filter(Instant.MAX::isAfter));
    }

    @Override
    public MachinePlan plan() {
      return MachinePlan.NOTHING.or(until);
    }
  }

  /** What it says waits for this: a write of the record, a live read, a report, or an instant. */
  record Step(MachinePlan plan) implements RecordChange {
    Step(PlannedAction action) {
      this(MachinePlan.of(action));
    }
  }

  /** The plan of this change alone. */
  MachinePlan plan();
}
