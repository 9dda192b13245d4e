package io.nodepool.bench.signals;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.NodeWatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** When a watch first showed each condition of each Node. */
final class ConditionTimes implements AutoCloseable {
  /** By {@code node/type}, on the monotonic clock. */
  private final Map<String, Long> seen = new ConcurrentHashMap<>();

  private final NodeWatch nodes;

  /** Starts the watch and waits until all Nodes are listed. */
  ConditionTimes(BenchCluster cluster) {
    this.nodes = new NodeWatch(cluster, this::see);
  }

  private void see(Node node) {
    long now = System.nanoTime();
    for (NodeCondition condition : node.getStatus().getConditions()) {
      if (condition.getStatus().equals("True")) {
        seen.putIfAbsent(node.getMetadata().getName() + "/" + condition.getType(), now);
      }
    }
  }

  /** Whether all these were shown. */
  boolean hasAll(Map<String, Long> sent) {
    return seen.keySet().containsAll(sent.keySet());
  }

  /** The times from these moments until they were shown. */
  List<Duration> since(Map<String, Long> sent) {
    return sent.entrySet().stream()
        .filter(each -> seen.containsKey(each.getKey()))
        .map(each -> Duration.ofNanos(seen.getOrDefault(each.getKey(), 0L) - each.getValue()))
        .toList();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
