package io.nodepool.plan.node;

import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
import java.time.Instant;
import java.util.Optional;

/**
 * A change of the record of a Node's disruption, given the record and the demands. {@link
 * NodeDisruption} decides it; {@link NodeRecord} has its writes and the Events before them.
 */
sealed interface RecordChange {
  /** The record stays, and the disruption goes on. */
  Keep KEEP = new Keep(Optional.empty());

  /** The record stays, at least until this instant, and the disruption goes on. */
  record Keep(Optional<Instant> until) implements RecordChange {
    static Keep until(Instant due) {
      return new Keep(Optional.of(due).filter(Instant.MAX::isAfter));
    }

    @Override
    public MachinePlan plan() {
      return MachinePlan.NOTHING.or(until);
    }
  }

  /** The disruption waits for this: a write of the record, a live read, a report, or an instant. */
  record Step(MachinePlan plan) implements RecordChange {
    Step(PlannedAction action) {
      this(MachinePlan.of(action));
    }
  }

  /** The plan of this change alone. */
  MachinePlan plan();
}
