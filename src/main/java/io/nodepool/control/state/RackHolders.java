package io.nodepool.control.state;

import io.nodepool.control.state.machine.CountsByKey;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.pcollections.TreePMap;

/**
 * The pools that hold Hosts in each rack, including assignments under way. Confined to the decision
 * thread.
 */
final class RackHolders {
  /** The number of Hosts of each rack that each pool holds, by the pool's UID. */
  private final Map<Rack, TreeMap<String, Integer>> racks = new HashMap<>();

  /** The first holder of each rack, by instance type and the rack's name. */
  private final Map<String, TreePMap<String, String>> first = new HashMap<>();

  private record Rack(String instanceType, String name) {
    static Rack of(Host host) {
      return new Rack(host.machine().instanceType(), host.machine().rack());
    }
  }

  /** The UID of the first pool that holds Hosts of a rack of this type, by the rack's name. */
  TreePMap<String, String> of(String instanceType) {
    return first.getOrDefault(instanceType, TreePMap.empty());
  }

  /** Records the pool that holds the machine now, or to which it is being assigned. */
  void update(MachineEntry machine, Host host) {
    String holder =
        machine.underWay instanceof HostOperation.Assign assign
            ? assign.pool().uid()
            : host.assignment().map(Assignment::pool).map(pool -> pool.uid()).orElse("");
    if (!holder.equals(machine.rackHolder)) {
      vacate(machine, host);
      if (!holder.isEmpty()) {
        Rack rack = Rack.of(host);
        CountsByKey.add(racks.computeIfAbsent(rack, _ -> new TreeMap<>()), holder, 1);
        machine.rackHolder = holder;
        changed(rack);
      }
    }
  }

  /** Removes the machine from its rack. */
  void vacate(MachineEntry machine, Host host) {
    if (machine.rackHolder.isEmpty()) {
      return;
    }
    Rack rack = Rack.of(host);
    racks.computeIfPresent(
        rack,
        (key, holders) -> {
          CountsByKey.add(holders, machine.rackHolder, -1);
          return holders.isEmpty() ? null : holders;
        });
    machine.rackHolder = "";
    changed(rack);
  }

  private void changed(Rack rack) {
    TreeMap<String, Integer> holders = racks.get(rack);
    TreePMap<String, String> known = of(rack.instanceType());
    TreePMap<String, String> next =
        holders == null ? known.minus(rack.name()) : known.plus(rack.name(), holders.firstKey());
    if (next.isEmpty()) {
      first.remove(rack.instanceType());
    } else {
      first.put(rack.instanceType(), next);
    }
  }
}
