package io.nodepool.control.state;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import java.time.Instant;
import java.util.Optional;

/**
 * The effects of writes on machines before their objects are observed: while the writes are under
 * way, and after they failed.
 */
record SubmittedWrites(PoolTable pools, MachineTable machines, MachineFold fold) {
  /**
   * Applies an action before its answer arrives: a Host that is being assigned is not free and must
   * not be assigned again, and a Node that is being cordoned is not available.
   *
   * @param begins false to end this effect; the answer's object is folded next
   */
  void underWay(Action action, boolean begins) {
    if (action instanceof Action.OnHost(HostOperation operation)) {
      underWay(operation, begins);
    } else if (action instanceof Action.WriteNode write && write.isFor(NodePurpose.ADMIT)) {
      cordoning(write, begins);
    }
  }

  private void underWay(HostOperation operation, boolean begins) {
    MachineEntry machine = machines.make(operation.host().name());
    String host = operation.host().uid();
    String pool = operation.pool().uid();
    PoolEntry entry = pools.make(pool);
    machine.underWay = begins ? operation : null;
    if (!begins) {
      entry.assigning.remove(host);
      entry.preserving.remove(host);
    } else if (operation instanceof HostOperation.Assign) {
      entry.assigning.add(host);
    } else if (operation instanceof HostOperation.Preserve) {
      entry.preserving.add(host);
    }
    fold.updateFree(machine);
    pools.dropIfUnused(pool);
    machines.dropIfUnused(machine);
  }

  /** Counts a Node as being cordoned, so that no other takes its place. */
  private void cordoning(Action.WriteNode write, boolean begins) {
    if (machines.knowsNode(write.node(), write.nodeUid())) {
      MachineEntry machine = machines.make(write.node());
      machine.cordoning = begins ? write.nodeUid() : "";
      machines.changed(machine);
      pools.wakeHolder(write.node());
    }
  }

  /** Excludes a Host that refused an operation until this time. */
  void refused(HostId host, Instant until) {
    MachineEntry machine = machines.find(host.name());
    if (machine != null) {
      machine.refusedUntil = until;
      fold.updateFree(machine);
    }
  }

  /** Records why a write on a machine fails, or that it no longer fails. */
  void trouble(String machineName, Action action, Optional<String> why, boolean denied) {
    MachineEntry machine = machines.find(machineName);
    if (machine != null) {
      machines.changed(machine);
      if (machine.troubles.report(action, why, denied, machine.node)) {
        pools.wakeHolder(machineName);
      }
    }
  }
}
