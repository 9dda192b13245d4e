package io.nodepool.bench.measure;

import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The objects after a pool's growths, compared with the expected ones. Pure.
 *
 * @param tenancies the number of assignments of each Host that the pool holds
 * @param nodeHosts the UID of each Node's Host
 * @param emitted the count of the pool's Events by reason
 * @param registered the count of the Events CWNodeRegistered of each Node
 */
public record EndState(
    Map<String, Long> tenancies,
    Map<String, String> nodeHosts,
    Map<String, Integer> emitted,
    Map<String, Integer> registered) {
  private static final List<String> ONE_FOR_EACH_NODE =
      List.of("CWNodeRequestQueued", "CWNodeAssigned", "CWNodeRegistered");

  /** Reads the state from a cluster in which the pool is the only one. */
  public static EndState of(BenchCluster cluster, String pool) {
    Map<String, Long> tenancies = new HashMap<>();
    cluster.hosts().stream()
        .filter(host -> host.getSpec().assignment != null)
        .forEach(host -> tenancies.put(host.getMetadata().getName(), host.getSpec().tenancy));
    Map<String, String> nodeHosts = new HashMap<>();
    cluster
        .nodes()
        .forEach(node ->
            nodeHosts.put(
                node.getMetadata().getName(),
                node.getMetadata().getAnnotations().get(NodeAnnotations.HOST_UID.key())));
    Map<String, Integer> emitted = new HashMap<>();
    Map<String, Integer> registered = new HashMap<>();
    cluster
        .events()
        .forEach(event -> {
          String about = event.getInvolvedObject().getName();
          if (event.getInvolvedObject().getKind().equals("NodePool") && about.equals(pool)) {
            emitted.merge(event.getReason(), event.getCount(), Integer::sum);
          } else if (event.getReason().equals("CWNodeRegistered")) {
            registered.merge(about, event.getCount(), Integer::sum);
          }
        });
    return new EndState(tenancies, nodeHosts, emitted, registered);
  }

  /**
   * Duplicated or missing objects, one sentence for each kind.
   *
   * @param nodes the expected number of Nodes
   * @param growths the number of growth requests
   */
  public List<String> wrong(int nodes, int growths) {
    List<String> wrong = new ArrayList<>();
    expect(wrong, "Hosts are assigned", nodes, tenancies.size());
    expect(
        wrong,
        "assignments were made",
        nodes,
        tenancies.values().stream().mapToLong(Long::longValue).sum());
    expect(wrong, "Nodes exist", nodes, nodeHosts.size());
    Set<String> hosts = new HashSet<>(nodeHosts.values());
    expect(wrong, "Hosts have a Node", nodes, hosts.size());
    expect(wrong, "Nodes have an Event CWNodeRegistered", nodes, registered.size());
    expect(
        wrong,
        "Events CWNodeRegistered were emitted on Nodes",
        nodes,
        registered.values().stream().mapToLong(Integer::longValue).sum());
    for (String reason : ONE_FOR_EACH_NODE) {
      expect(wrong, reason + " were emitted on the pool", nodes, emitted.getOrDefault(reason, 0));
    }
    expect(
        wrong, "CWNodePoolCreated were emitted", 1, emitted.getOrDefault("CWNodePoolCreated", 0));
    expect(
        wrong,
        "CWNodePoolScaledUp were emitted",
        growths,
        emitted.getOrDefault("CWNodePoolScaledUp", 0));
    return wrong;
  }

  private static void expect(List<String> wrong, String what, long right, long found) {
    if (right != found) {
      wrong.add("%d %s, not %d.".formatted(found, what, right));
    }
  }
}
