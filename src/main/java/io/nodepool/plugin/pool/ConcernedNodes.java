package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.explain.Explanations;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.OutdatedNodes;
import io.nodepool.plugin.request.PoolReading;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The Nodes of a NodePool on which a change of the pool may end work: all Nodes, if these are
 * unknown.
 */
final class ConcernedNodes {
  private ConcernedNodes() {}

  /** The Nodes that an operator would remove at this target, in the unit of the pool. */
  static List<NodeReading> leaving(
      ClusterClient client, PoolReading seen, int target, Instant now) {
    List<NodeReading> all = client.nodesOf(seen.name());
    ListedObjects listed = ListedObjects.of(client);
    if (!listed.missing().isEmpty()) {
      return all;
    }
    return Explanations.of(listed.observations(), now)
        .pool(seen.name(), OptionalInt.of(target))
        .map(explained ->
            explained.nodes().stream()
                .filter(each -> each.rank() > 0 && each.fate().equals(PoolExplanation.REMOVE))
                .map(each -> each.node())
                .collect(Collectors.toSet()))
        .map(leave -> named(all, leave))
        .orElse(all);
  }

  /** Nodes that have not booted into the active configuration. */
  static List<NodeReading> outdated(ClusterClient client, PoolReading seen) {
    List<NodeReading> all = client.nodesOf(seen.name());
    try {
      OutdatedNodes outdated = OutdatedNodes.read(client, Optional.of(seen.name()));
      return all.stream().filter(node -> outdated.of(node).isPresent()).toList();
    } catch (CommandFailure e) {
      return all;
    }
  }

  /** Nodes that wait for the repair of their machines. */
  static List<NodeReading> awaitingRepair(ClusterClient client, PoolReading seen) {
    List<NodeReading> all = client.nodesOf(seen.name());
    List<String> first = seen.repairNodes();
    return first.size() < seen.repairsWaiting() ? all : named(all, Set.copyOf(first));
  }

  private static List<NodeReading> named(List<NodeReading> nodes, Set<String> names) {
    return nodes.stream().filter(node -> names.contains(node.name())).toList();
  }
}
