package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.write.Instants;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.report.OldestEvents;
import io.nodepool.plan.report.UnreadableEvents;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The reconcile loop of machines: observes, plans and acts for one machine at a time. Confined to
 * the decision thread.
 */
record MachineLoop(
    ClusterState state,
    MachinePlanning planner,
    ActionSubmitter writes,
    InstantSource clock,
    ReferenceGeneration generation,
    IgnoredReclaims ignored) {
  /**
   * Reconciles the machine of this name.
   *
   * @return when to run again even if nothing changes
   */
  Optional<Instant> reconcile(String machineName) {
    if (!state.isComplete() || state.snapshots().isOpen(machineName)) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    state.beginLedgerOf(machineName);
    Optional<MachineSnapshot> known = state.snapshots().machine(machineName);
    ignored.observe(machineName, known.map(MachineSnapshot::host));
    Optional<MachinePlan> planned =
        known
            .map(seen -> announced(planner.plan(seen, now), seen))
            .or(() -> state.snapshots().leftover(machineName).map(seen -> planner.plan(seen, now)));
    ReconcileKey key = new ReconcileKey.OfMachine(machineName);
    if (planned.isEmpty()) {
      return state
          .unread()
          .unreported(machineName)
          .map(seen ->
              UnreadableEvents.machine(machineName, seen.nodeUid(), seen.subject(), seen.why()))
          .flatMap(plannedAction -> writes.submit(plannedAction, key));
    }
    MachinePlan plan = planned.get();
    Optional<Instant> wakeup = plan.wakeup();
    for (PlannedAction plannedAction : plan.plannedActions()) {
      wakeup = Instants.earlier(wakeup, writes.submit(plannedAction, key));
    }
    return wakeup;
  }

  private MachinePlan announced(MachinePlan plan, MachineSnapshot seen) {
    return switch (generation) {
      case CURRENT -> plan;
      case OLDEST -> OldestEvents.activity(plan, seen);
    };
  }
}
