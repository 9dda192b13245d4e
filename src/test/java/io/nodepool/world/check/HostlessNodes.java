package io.nodepool.world.check;

import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Nodes whose Host does not exist; those with work stay until it ends, as their pool says. */
public final class HostlessNodes {
  private static final Pattern KEPT =
      Pattern.compile(
          "Without a Host, and kept until their work ends: (\\d+) Nodes? \\(([^)]*)\\)");

  private final WorldCluster cluster;

  /** The Nodes of this cluster. */
  public HostlessNodes(WorldCluster cluster) {
    this.cluster = cluster;
  }

  /** Whether the Host that the Node names does not exist. */
  public boolean isWithoutHost(Node node) {
    return cluster
        .host(node.name())
        .filter(host -> host.id().uid().equals(node.hostUid()))
        .isEmpty();
  }

  /** Whether the Host that the Node names does not exist, and work keeps the Node. */
  public boolean isKept(Node node) {
    return isWithoutHost(node) && (cluster.workloads().isBusy(node.name()) || node.locked());
  }

  /**
   * Whether work keeps the Node, as its pool says. A pool that does not exist, or cannot be read,
   * says nothing.
   */
  public boolean isWaiting(Node node) {
    return isKept(node)
        && cluster.pools().values().stream()
            .filter(pool -> pool.id().uid().equals(node.poolUid()))
            .filter(pool -> !cluster.isGarbled(WorldCluster.Kind.POOLS, pool.id().name()))
            .allMatch(pool -> isNamed(pool, node));
  }

  /** Whether a condition of the pool names the Node, or counts as many as there are. */
  private boolean isNamed(Pool pool, Node node) {
    return pool.status().conditions().values().stream()
        .map(condition -> KEPT.matcher(condition.message()))
        .filter(Matcher::find)
        .anyMatch(match ->
            List.of(match.group(2).split(", | and \\d+ more")).contains(node.name())
                || cluster.nodes().values().stream()
                        .filter(each -> each.poolUid().equals(pool.id().uid()))
                        .filter(this::isKept)
                        .count()
                    <= Integer.parseInt(match.group(1)));
  }
}
