package io.nodepool.world;

import io.nodepool.world.check.HostlessNodes;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorProcess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an operator at rest still holds of objects that no longer exist, and work that is still
 * under way.
 */
final class Leftovers {
  private Leftovers() {}

  /** Returns a line for each kind of leftover in the leader. */
  static List<String> of(World world) {
    return world
        .operators()
        .leader()
        .map(process -> of(process, world.cluster()))
        .orElse(List.of());
  }

  private static List<String> of(OperatorProcess process, WorldCluster cluster) {
    Set<String> pools = new HashSet<>();
    Set<String> machines = new HashSet<>(cluster.nodes().keySet());
    cluster.pools().values().forEach(pool -> pools.add(pool.id().uid()));
    cluster
        .hosts()
        .forEach((name, host) -> {
          machines.add(name);
          host.assignment().ifPresent(held -> pools.add(held.pool().uid()));
        });
    // A pool may be gone while work keeps a Node of it without a Host.
    HostlessNodes hostless = new HostlessNodes(cluster);
    cluster.nodes().values().stream()
        .filter(hostless::isKept)
        .forEach(node -> pools.add(node.poolUid()));
    cluster.pods().values().forEach(pod -> machines.add(pod.nodeName()));
    Map<String, Integer> expected =
        Map.of("pools", pools.size(), "machines", machines.size(), "Pods", cluster.pods().size());
    List<String> leftovers = new ArrayList<>();
    process
        .control
        .sizes()
        .forEach((what, size) -> {
          int there = expected.getOrDefault(what, 0);
          if (size != there) {
            leftovers.add("%d %s are held, and %d exist".formatted(size, what, there));
          }
        });
    if (!process.requests.isEmpty()) {
      leftovers.add(process.requests.size() + " requests are under way");
    }
    if (!process.alarms.isEmpty()) {
      leftovers.add("timers are set for " + process.alarms.keys());
    }
    return leftovers;
  }
}
