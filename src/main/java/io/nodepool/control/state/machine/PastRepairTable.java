package io.nodepool.control.state.machine;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.PastRepair;
import io.nodepool.model.members.PastRepairs;
import io.nodepool.model.snapshot.TypeHosts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The repairs done for alerts, folded from all Hosts of all pools. Work per change does not grow
 * with the number of Hosts. Confined to the decision thread.
 *
 * @param pools the repairs, by the UID of the pool they were done for
 * @param types the Hosts of each instance type
 */
public record PastRepairTable(Map<String, PastRepairs> pools, Map<String, TypeHosts> types) {
  /** A table without Hosts. */
  public PastRepairTable() {
    this(new HashMap<>(), new HashMap<>());
  }

  /** The repairs of machines of the pool with this UID. */
  public PastRepairs of(String poolUid) {
    return pools.getOrDefault(poolUid, PastRepairs.NONE);
  }

  /** The Hosts of an instance type. */
  public TypeHosts ofType(String instanceType) {
    return types.getOrDefault(instanceType, TypeHosts.NONE);
  }

  /**
   * Replaces the last state of a Host with the next; empty while it does not exist. Returns the
   * UIDs of the pools whose record changed.
   */
  public Set<String> update(Optional<Host> last, Optional<Host> next) {
    if (last.map(Facts::of).equals(next.map(Facts::of))) {
      return Set.of();
    }
    last.ifPresent(host -> count(host, false));
    next.ifPresent(host -> count(host, true));
    Set<String> changed =
        Stream.concat(last.stream(), next.stream())
            .flatMap(host -> host.past().stream())
            .map(PastRepair::poolUid)
            .collect(Collectors.toCollection(TreeSet::new));
    changed.removeIf(pool -> recorded(last, pool).equals(recorded(next, pool)));
    last.ifPresent(host -> changed.forEach(pool -> file(pool, host, List.of())));
    next.ifPresent(host -> changed.forEach(pool -> file(pool, host, entries(host, pool))));
    return changed;
  }

  /** The part of a Host that is folded. */
  private record Facts(String uid, Machine machine, List<PastRepair> past) {
    static Facts of(Host host) {
      return new Facts(host.id().uid(), host.machine(), host.past());
    }
  }

  private void count(Host host, boolean exists) {
    String zone = host.machine().location().zone();
    String type = host.machine().instanceType();
    TypeHosts counted = ofType(type);
    TypeHosts next =
        exists
            ? counted.plus(
                zone, host.id().uid(), host.past().stream().filter(PastRepair::out).toList())
            : counted.minus(zone, host.id().uid());
    if (next.byZone().isEmpty()) {
      types.remove(type);
    } else {
      types.put(type, next);
    }
  }

  private void file(String pool, Host host, List<PastRepair> entries) {
    PastRepairs next = of(pool).with(host.id().uid(), entries);
    if (next.byHost().isEmpty()) {
      pools.remove(pool);
    } else {
      pools.put(pool, next);
    }
  }

  /** The record of a Host for a pool, by its UID: another Host may have its name by now. */
  private static Optional<Map.Entry<String, List<PastRepair>>> recorded(
      Optional<Host> host, String pool) {
    return host.map(each -> Map.entry(each.id().uid(), entries(each, pool)))
        .filter(each -> !each.getValue().isEmpty());
  }

  private static List<PastRepair> entries(Host host, String pool) {
    return host.past().stream().filter(each -> each.poolUid().equals(pool)).toList();
  }
}
