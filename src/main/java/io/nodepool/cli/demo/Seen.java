package io.nodepool.cli.demo;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.cli.view.PoolView;
import java.util.List;
import java.util.Optional;

/**
 * The view of the cluster of a demo, which has one NodePool.
 *
 * @param view its state
 * @param news the Events since the last command
 */
record Seen(ClusterView view, List<EventView> news) {
  Seen {
    news = List.copyOf(news);
  }

  /** The names of the machines in a state, in the order of the racks. */
  List<String> machines(MachineState state) {
    return view.machines().stream()
        .filter(machine -> machine.state() == state)
        .map(machine -> machine.place().name())
        .toList();
  }

  /** The number of Nodes in normal use. */
  int inUse() {
    return machines(MachineState.IDLE).size() + machines(MachineState.BUSY).size();
  }

  /** Whether a machine is in a state. */
  boolean is(String machine, MachineState state) {
    return machines(state).contains(machine);
  }

  /** Whether no tenant can use a machine. */
  boolean isOut(String machine) {
    return !is(machine, MachineState.IDLE) && !is(machine, MachineState.BUSY);
  }

  /** The rack of a machine. */
  String rack(String machine) {
    return view.machines().stream()
        .map(MachineView::place)
        .filter(place -> place.name().equals(machine))
        .map(MachineView.Place::rack)
        .findFirst()
        .orElse("");
  }

  /** Whether there was an Event about an object since the last command. */
  boolean had(String reason, String name) {
    return news.stream()
        .anyMatch(event -> event.reason().equals(reason) && event.name().equals(name));
  }

  /** Whether there was an Event about the NodePool whose message has this text. */
  boolean poolHad(String reason, String text) {
    return news.stream()
        .anyMatch(event ->
            event.kind().equals("NodePool")
                && event.reason().equals(reason)
                && event.message().contains(text));
  }

  /** Whether the pool has and wants this number of Nodes, all in normal use. */
  boolean isAtTarget(int nodes) {
    return inUse() == nodes
        && pool().filter(pool -> pool.isAtTarget() && pool.target() == nodes).isPresent();
  }

  /** Whether a condition of the pool has this status and reason. */
  boolean has(String condition, String status, String reason) {
    return pool()
        .map(pool -> pool.conditions().get(condition))
        .filter(found -> found.status().equals(status) && found.reason().equals(reason))
        .isPresent();
  }

  /** The pool, once it exists. */
  Optional<PoolView> pool() {
    return view.pools().stream().findFirst();
  }
}
