package io.nodepool.control;

import io.nodepool.model.MachineSnapshot;
import io.nodepool.plan.MachinePlanner;
import io.nodepool.plan.Step;
import java.time.Instant;
import java.util.Optional;

/** Observe, plan, act, for one machine at a time. Runs on the decision thread. */
public final class MachineLoop {
  private final Index index;
  private final Inventory inventory;
  private final MachinePlanner planner;
  private final Desk desk;

  MachineLoop(Index index, Inventory inventory, MachinePlanner planner, Desk desk) {
    this.index = index;
    this.inventory = inventory;
    this.planner = planner;
    this.desk = desk;
  }

  /**
   * Runs for the machine of this name.
   *
   * @return when to run again even if nothing happens
   */
  public Optional<Instant> reconcile(String machineName) {
    if (!index.isComplete()) {
      return Optional.empty();
    }
    Optional<MachineSnapshot> seen = inventory.snapshot(machineName);
    if (seen.isEmpty()) {
      return Optional.empty();
    }
    Key key = new Key.OfMachine(machineName);
    Optional<Instant> doubt = desk.settle(key);
    Optional<Step> step = planner.plan(seen.get());
    return Instants.earlier(doubt, step.flatMap(next -> desk.submit(next, key)));
  }
}
