package io.nodepool.control;

import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.node.MachinePlanner;
import java.time.Instant;

/** Plans a machine from a snapshot. Pure, as {@link PoolPlanning} is. */
public interface MachinePlanning {
  /** Returns the plan for a machine, at this instant. */
  MachinePlan plan(MachineSnapshot seen, Instant now);

  /** Returns the plan for a Node whose Host does not exist, at this instant. */
  MachinePlan plan(LeftoverNode seen, Instant now);

  /** Returns the given planner as this interface. */
  static MachinePlanning by(MachinePlanner planner) {
    return new MachinePlanning() {
      @Override
      public MachinePlan plan(MachineSnapshot seen, Instant now) {
        return planner.plan(seen, now);
      }

      @Override
      public MachinePlan plan(LeftoverNode seen, Instant now) {
        return planner.plan(seen, now);
      }
    };
  }
}
