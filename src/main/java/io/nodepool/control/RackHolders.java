package io.nodepool.control;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which pools hold Hosts in which rack, those included whose assignment is under way. Lives on the
 * decision thread.
 */
final class RackHolders {
  /** Hosts by pool UID, by instance type and rack. */
  private final Map<Rack, TreeMap<String, Integer>> racks = new HashMap<>();

  private record Rack(String instanceType, String name) {
    static Rack of(Host host) {
      return new Rack(host.machine().instanceType(), host.machine().rack());
    }
  }

  /** UID of the pool that holds Hosts of this Host's rack; empty text if none does. */
  String of(Host host) {
    TreeMap<String, Integer> holders = racks.get(Rack.of(host));
    return holders == null ? "" : holders.firstKey();
  }

  /** Takes in who holds the machine now, or is about to. */
  void update(MachineEntry machine, Host host) {
    String holder =
        machine.underWay instanceof HostOperation.Assign assign
            ? assign.pool().uid()
            : host.assignment().map(Assignment::pool).map(pool -> pool.uid()).orElse("");
    if (!holder.equals(machine.rackHolder)) {
      vacate(machine, host);
      if (!holder.isEmpty()) {
        racks
            .computeIfAbsent(Rack.of(host), rack -> new TreeMap<>())
            .merge(holder, 1, Integer::sum);
        machine.rackHolder = holder;
      }
    }
  }

  /** Forgets what the machine held. */
  void vacate(MachineEntry machine, Host host) {
    if (machine.rackHolder.isEmpty()) {
      return;
    }
    racks.computeIfPresent(
        Rack.of(host),
        (rack, holders) -> {
          holders.computeIfPresent(
              machine.rackHolder, (pool, count) -> count == 1 ? null : count - 1);
          return holders.isEmpty() ? null : holders;
        });
    machine.rackHolder = "";
  }
}
