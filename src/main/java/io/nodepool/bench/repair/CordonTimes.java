package io.nodepool.bench.repair;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.NodeWatch;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** When a watch first showed that each Node is cordoned, and that it is no longer. */
final class CordonTimes implements AutoCloseable {
  /** By the Node's name, on the monotonic clock. */
  private final Map<String, Long> cordoned = new ConcurrentHashMap<>();

  private final Map<String, Long> returned = new ConcurrentHashMap<>();

  private final NodeWatch nodes;

  /** Starts the watch and waits until all Nodes are listed. */
  CordonTimes(BenchCluster cluster) {
    this.nodes = new NodeWatch(cluster, this::see);
  }

  private void see(Node node) {
    long now = System.nanoTime();
    String name = node.getMetadata().getName();
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      cordoned.putIfAbsent(name, now);
    } else if (cordoned.containsKey(name)) {
      returned.putIfAbsent(name, now);
    }
  }

  /** When a Node was first observed cordoned; empty until then. */
  OptionalLong cordonedAt(String node) {
    return of(cordoned, node);
  }

  /** When a Node was first observed uncordoned after that; empty until then. */
  OptionalLong returnedAt(String node) {
    return of(returned, node);
  }

  private static OptionalLong of(Map<String, Long> times, String node) {
    Long at = times.get(node);
    return at == null ? OptionalLong.empty() : OptionalLong.of(at);
  }

  @Override
  public void close() {
    nodes.close();
  }
}
