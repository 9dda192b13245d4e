package io.nodepool.world.check;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.cluster.WorldCluster;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The most registered Nodes that each pool had of its target, by its Hosts and Nodes. While the
 * status of the pool has no such number, since another client wrote it or an earlier version of the
 * operator, it is how many there are.
 */
final class ReachedSizes {
  private final WorldCluster cluster;

  /** By the UID of the pool. */
  private final Map<String, Integer> sizes = new HashMap<>();

  /** UIDs of the Nodes that are, or were, registered. */
  private final Set<String> registered = new HashSet<>();

  ReachedSizes(WorldCluster cluster) {
    this.cluster = cluster;
    cluster.watch(
        this::see, WorldCluster.Kind.POOLS, WorldCluster.Kind.HOSTS, WorldCluster.Kind.NODES);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.PoolSeen(Pool pool)) {
      count(pool);
    } else if (seen instanceof Observation.NodeSeen(Node node)
        && node.registered()
        && registered.add(node.uid())) {
      cluster.poolOf(node).ifPresent(this::count);
    }
    cluster.pools().values().stream().filter(pool -> !isRecorded(pool)).forEach(this::count);
  }

  private static boolean isRecorded(Pool pool) {
    return pool.status().growth().map(Growth::reached).orElse(0) > 0;
  }

  private void count(Pool pool) {
    String uid = pool.id().uid();
    int now =
        (int)
            cluster.hosts().values().stream()
                .filter(host -> host.serves(uid))
                .flatMap(
                    host -> cluster.node(host.id().name()).filter(node -> node.isOf(host)).stream())
                .filter(Node::registered)
                .count();
    int before = isRecorded(pool) ? of(uid) : 0;
    // An operator that learns of a target after a Node has left did not see the pool reach it.
    boolean isObserved = pool.status().observedGeneration() == pool.generation();
    int most = isObserved || !isRecorded(pool) ? Math.max(before, now) : before;
    sizes.put(uid, Math.min(pool.spec().target(), most));
  }

  /** The size that the pool with this UID reached. */
  int of(String poolUid) {
    return sizes.getOrDefault(poolUid, 0);
  }
}
