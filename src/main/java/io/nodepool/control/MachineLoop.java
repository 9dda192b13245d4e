package io.nodepool.control;

import io.nodepool.control.write.Instants;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Step;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Observe, plan, act, for one machine at a time. Runs on the decision thread. */
public final class MachineLoop {
  private final Index index;
  private final Inventory inventory;
  private final MachinePlanning planner;
  private final ActionSubmitter writes;
  private final Waker waker;
  private final InstantSource clock;

  MachineLoop(
      Index index,
      Inventory inventory,
      MachinePlanning planner,
      ActionSubmitter writes,
      Waker waker,
      InstantSource clock) {
    this.index = index;
    this.inventory = inventory;
    this.planner = planner;
    this.writes = writes;
    this.waker = waker;
    this.clock = clock;
  }

  /**
   * Runs for the machine of this name.
   *
   * @return when to run again even if nothing happens
   */
  public Optional<Instant> reconcile(String machineName) {
    if (!index.isComplete() || inventory.isOpen(machineName)) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    Optional<MachinePlan> planned =
        inventory
            .snapshot(machineName, now)
            .map(seen -> planner.plan(seen, now))
            .or(() -> inventory.leftover(machineName, now).map(seen -> planner.plan(seen, now)));
    Key key = new Key.OfMachine(machineName);
    if (planned.isEmpty()) {
      return inventory.unread.unsaid(machineName).flatMap(step -> writes.submit(step, key));
    }
    inventory.busyChanged(machineName, now).forEach(waker::wake);
    MachinePlan plan = planned.get();
    Optional<Instant> wakeup = plan.wakeup();
    for (Step step : plan.steps()) {
      wakeup = Instants.earlier(wakeup, writes.submit(step, key));
    }
    return wakeup;
  }
}
