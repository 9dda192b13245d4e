package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A watch of the raw Nodes of the world, after every step: how many were unavailable when a rollout
 * began one, and whether that one was busy. It counts by itself, and knows nothing of a pool's
 * plan.
 */
final class RolloutWatch {
  private final Drill drill;
  private final Function<Host, String> unit;
  private final Set<String> rolling = new TreeSet<>();
  private Set<String> unavailable = new TreeSet<>();

  /** The units that were unavailable before each begin, by the order of the begins. */
  final List<Integer> before = new ArrayList<>();

  /** The Nodes in the order in which they began. */
  final List<String> begun = new ArrayList<>();

  /** Nodes that had work when they began, or when their drain began. */
  final Set<String> busy = new TreeSet<>();

  /** The most units that were unavailable at any time. */
  int most;

  private RolloutWatch(Drill drill, Function<Host, String> unit) {
    this.drill = drill;
    this.unit = unit;
    drill.world.afterEachStep(this::check);
  }

  static RolloutWatch ofNodes(Drill drill) {
    return new RolloutWatch(drill, host -> host.id().name());
  }

  static RolloutWatch ofRacks(Drill drill) {
    return new RolloutWatch(drill, host -> host.machine().rack());
  }

  private void check() {
    SortedMap<String, Node> nodes = drill.world.cluster().nodes();
    for (Node node : nodes.values()) {
      boolean rolls =
          node.disruption()
              .flatMap(Disruption::active)
              .filter(active -> !active.turns().isEmpty())
              .isPresent();
      if (!rolls) {
        rolling.remove(node.name());
      } else if (rolling.add(node.name())) {
        // Nodes of a rack that was begun take no room of their own.
        if (!unavailable.contains(unit(node)) || unit(node).equals(node.name())) {
          before.add(unavailable.size());
        }
        begun.add(node.name());
        note(node);
      }
    }
    Set<String> next = new TreeSet<>();
    nodes.values().stream().filter(RolloutWatch::isUnavailable).map(this::unit).forEach(next::add);
    unavailable = next;
    most = Math.max(most, next.size());
  }

  private void note(Node node) {
    boolean works =
        drill.world.cluster().pods().values().stream()
            .anyMatch(pod -> pod.nodeName().equals(node.name()));
    if (works) {
      busy.add(node.name());
    }
  }

  private String unit(Node node) {
    Host host = drill.world.cluster().hosts().get(node.name());
    return host == null ? node.name() : unit.apply(host);
  }

  private static boolean isUnavailable(Node node) {
    String state = node.metadata().label(NodeLabels.STATE);
    return !node.ready()
        || node.cordoned()
        || node.deleting()
        || !(state.isEmpty() || state.equals("production"));
  }

  /** How many units were unavailable at most when a Node began. */
  int mostBefore() {
    return before.stream().mapToInt(each -> each).max().orElse(0);
  }

  /** How often each Node began. */
  SortedMap<String, Integer> times() {
    SortedMap<String, Integer> times = new TreeMap<>();
    begun.forEach(name -> times.merge(name, 1, Integer::sum));
    return times;
  }
}
