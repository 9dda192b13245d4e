package io.nodepool.bench.report;

import io.nodepool.bench.BenchCluster;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is left of a pool's growths, and what is wrong with it. Pure.
 *
 * @param tenancies of each Host that the pool holds, how often it was assigned
 * @param nodeHosts of each Node, the UID of its Host
 * @param told how many things the pool's Events of each reason are about
 * @param registered of each Node, how often it was told to be registered
 */
public record EndState(
    Map<String, Long> tenancies,
    Map<String, String> nodeHosts,
    Map<String, Integer> told,
    Map<String, Integer> registered) {
  private static final List<String> ONE_FOR_EACH_NODE =
      List.of("CWNodeRequestQueued", "CWNodeAssigned", "CWNodeRegistered");

  /** Reads it off the cluster; the pool is the only one. */
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
    Map<String, Integer> told = new HashMap<>();
    Map<String, Integer> registered = new HashMap<>();
    cluster
        .events()
        .forEach(event -> {
          String about = event.getInvolvedObject().getName();
          if (event.getInvolvedObject().getKind().equals("NodePool") && about.equals(pool)) {
            told.merge(event.getReason(), event.getCount(), Integer::sum);
          } else if (event.getReason().equals("CWNodeRegistered")) {
            registered.merge(about, event.getCount(), Integer::sum);
          }
        });
    return new EndState(tenancies, nodeHosts, told, registered);
  }

  /**
   * What is doubled or missing, a sentence for each kind of it.
   *
   * @param nodes how many Nodes the pool has to have
   * @param growths by how many growth requests
   */
  public List<String> wrong(int nodes, int growths) {
    List<String> wrong = new ArrayList<>();
    expect(wrong, "Hosts are assigned", nodes, tenancies.size());
    expect(
        wrong,
        "assignments were made",
        nodes,
        tenancies.values().stream().mapToLong(Long::longValue).sum());
    expect(wrong, "Nodes are there", nodes, nodeHosts.size());
    Set<String> hosts = new HashSet<>(nodeHosts.values());
    expect(wrong, "Hosts have a Node", nodes, hosts.size());
    expect(wrong, "Nodes were told to be registered", nodes, registered.size());
    expect(
        wrong,
        "registrations of Nodes were told",
        nodes,
        registered.values().stream().mapToLong(Integer::longValue).sum());
    for (String reason : ONE_FOR_EACH_NODE) {
      expect(wrong, reason + " were told of the pool", nodes, told.getOrDefault(reason, 0));
    }
    expect(wrong, "CWNodePoolCreated were told", 1, told.getOrDefault("CWNodePoolCreated", 0));
    expect(
        wrong, "CWNodePoolScaledUp were told", growths, told.getOrDefault("CWNodePoolScaledUp", 0));
    return wrong;
  }

  private static void expect(List<String> wrong, String what, long right, long found) {
    if (right != found) {
      wrong.add("%d %s, not %d.".formatted(found, what, right));
    }
  }
}
