package io.nodepool.cli.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Views of clusters for tests of the layout. */
public final class Pictures {
  /** The time of all views. */
  public static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");

  private Pictures() {}

  /** A small data centre in which one pool grows, one is at its target and one lacks capacity. */
  public static ClusterView ordinary() {
    List<MachineView> machines = new ArrayList<>();
    machines.addAll(rack("b200-8x", "b200-1", "●●●●"));
    machines.addAll(rack("b200-8x", "b200-2", "●●●○"));
    machines.addAll(rack("gb200-4x", "169", "○○○○○○○○○○○○○○○○○○"));
    machines.addAll(rack("gb200-4x", "170", "··················"));
    machines.addAll(rack("gd-8xh100ib-i128", "h100-1", "●●●○"));
    machines.addAll(rack("gd-8xh100ib-i128", "h100-2", "○◌◐◐"));
    machines.addAll(rack("gd-8xh100ib-i128", "h100-3", "▼□~!"));
    machines.addAll(rack("gd-8xh100ib-i128", "h100-10", "···✗"));
    return new ClusterView(
        List.of(
            inference(),
            pool("nvl", "gb200-4x", 18, 0, 0, 18, TARGET_MET),
            pool("train", "gd-8xh100ib-i128", 8, 0, 3, 5, underTarget(8, 5, 3))),
        machines,
        events());
  }

  private static PoolView inference() {
    Map<String, PoolView.ConditionView> conditions = new TreeMap<>();
    conditions.put(
        "Capacity",
        new PoolView.ConditionView(
            "Capacity",
            "False",
            "QueuedAwaitingCapacity",
            "4 Nodes of type b200-8x are queued until capacity becomes available; position 1 of 1 in the queue."));
    conditions.putAll(underTarget(12, 8, 0));
    return pool("inference", "b200-8x", 12, 4, 0, 8, conditions);
  }

  static final Map<String, PoolView.ConditionView> TARGET_MET =
      Map.of("AtTarget", new PoolView.ConditionView("AtTarget", "True", "TargetMet", ""));

  private static Map<String, PoolView.ConditionView> underTarget(
      int target, int current, int inProgress) {
    return Map.of(
        "AtTarget",
        new PoolView.ConditionView(
            "AtTarget",
            "False",
            "UnderTarget",
            "NodePool has %d of %d nodes: %d in progress, %d queued."
                .formatted(current, target, inProgress, target - current - inProgress)));
  }

  static PoolView pool(
      String name,
      String type,
      int target,
      int queued,
      int inProgress,
      int current,
      Map<String, PoolView.ConditionView> conditions) {
    return new PoolView(name, type, target, queued, inProgress, current, conditions, true);
  }

  /** Machines in the states of these symbols. */
  static List<MachineView> rack(String type, String name, String states) {
    List<MachineView> machines = new ArrayList<>();
    for (int slot = 0; slot < states.length(); slot++) {
      machines.add(machine(type, name, slot, state(states.charAt(slot))));
    }
    return machines;
  }

  private static MachineState state(char symbol) {
    return Arrays.stream(MachineState.values())
        .filter(state -> state.symbol(true) == symbol)
        .findFirst()
        .orElseThrow();
  }

  static MachineView machine(String type, String rack, int slot, MachineState state) {
    return new MachineView(
        new MachineView.Place(type, "US-EAST-04A", rack, "" + slot, rack + "-" + slot),
        state,
        Optional.empty());
  }

  private static List<EventView> events() {
    return List.of(
        event(7300, false, "CWNodePoolCreated", "train", "NodePool train is created."),
        event(
            130,
            true,
            "CWInsufficientCapacity",
            "inference",
            "4 Nodes of type b200-8x are queued until capacity becomes available; position 1 of 1 in the queue."),
        event(
            65,
            false,
            "CWNodeRequestQueued",
            "train",
            "Requested 8 Nodes of type gd-8xh100ib-i128, to reach 8."),
        event(
            62,
            false,
            "CWNodeAssigned",
            "train",
            "8 Nodes (g0a1b2c, g3d4e5f, g6a7b8c, g9d0e1f, g2a3b4c and 3 more) assigned."),
        event(
            31,
            false,
            "CWNodeRegistered",
            "train",
            "3 Nodes (g0a1b2c, g3d4e5f, g6a7b8c) registered."),
        event(4, false, "CWNodeRegistered", "train", "2 Nodes (g2a3b4c, g9d0e1f) registered."));
  }

  static EventView event(
      int secondsAgo, boolean warning, String reason, String pool, String message) {
    return new EventView(
        NOW.minus(Duration.ofSeconds(secondsAgo)), warning, reason, "NodePool", pool, message);
  }
}
