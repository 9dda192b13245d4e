package io.nodepool.cli.view;

import java.util.List;

/**
 * The cluster at one moment.
 *
 * @param pools by name
 * @param machines by instance type, rack and slot
 * @param events oldest first
 */
public record ClusterView(
    List<PoolView> pools, List<MachineView> machines, List<EventView> events) {
  /** The picture of a cluster with nothing in it. */
  public static final ClusterView EMPTY = new ClusterView(List.of(), List.of(), List.of());

  public ClusterView {
    pools = List.copyOf(pools);
    machines = List.copyOf(machines);
    events = List.copyOf(events);
  }
}
