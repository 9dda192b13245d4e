package io.nodepool.cli.view;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The state of a cluster at one moment.
 *
 * @param pools by name
 * @param machines by instance type, rack and slot
 * @param events oldest first
 */
public record ClusterView(
    List<PoolView> pools, List<MachineView> machines, List<EventView> events) {
  /** The view of an empty cluster. */
  public static final ClusterView EMPTY = new ClusterView(List.of(), List.of(), List.of());

  public ClusterView {
    pools = List.copyOf(pools);
    machines = List.copyOf(machines);
    events = List.copyOf(events);
  }

  /** The instance types of its pools. */
  Set<String> typesInUse() {
    return pools.stream().map(PoolView::instanceType).collect(Collectors.toSet());
  }
}
