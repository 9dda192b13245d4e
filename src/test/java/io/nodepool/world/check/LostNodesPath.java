package io.nodepool.world.check;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many Nodes leave because their machines did not come back from their reboots (decision D221):
 * counted from the Nodes, from the write with which one begins to leave until its object is gone.
 */
final class LostNodesPath {
  private static final String CAUSE = "RebootFailed";

  /**
   * Less than the window of the rule, by the time that passes until one that may leave begins to.
   */
  private static final Duration WINDOW = Duration.ofMinutes(5);

  private static final int IN_A_ROW = 3;
  private static final int IN_FLEET = 10;

  private final InstantSource clock;
  private final Map<String, Pool> pools = new HashMap<>();
  private final Map<String, Node> nodes = new HashMap<>();

  /** The Nodes that leave, by their UID, with the UID of their pool. */
  private final Map<String, String> leaving = new HashMap<>();

  /** When the last ones began to leave without one between that came back, by the pool's UID. */
  private final Map<String, Deque<Instant>> rows = new HashMap<>();

  private LostNodesPath(InstantSource clock) {
    this.clock = clock;
  }

  /** Checks a cluster from now on. */
  static void watch(WorldCluster cluster, InstantSource clock) {
    LostNodesPath path = new LostNodesPath(clock);
    cluster.watch(path::see, WorldCluster.Kind.NODES, WorldCluster.Kind.POOLS);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.NodeGone(_, String uid, _) -> {
        nodes.remove(uid);
        leaving.remove(uid);
      }
      case Observation.PoolGone(var id, _) -> pools.remove(id.uid());
      case Observation.NodeSeen(Node node) -> see(node, nodes.put(node.uid(), node));
      case Observation.PoolSeen(Pool pool) -> {
        Pool last = pools.put(pool.id().uid(), pool);
        String released = pool.spec().pause().released();
        if (last == null || !released.equals(last.spec().pause().released())) {
          rows.remove(pool.id().uid());
        }
      }
      default -> {}
    }
  }

  private void see(Node node, @Nullable Node last) {
    if (last == null) {
      return;
    }
    if (isRebooting(last) && node.disruption().orElse(null) instanceof Disruption.PassedOver) {
      rows.remove(node.poolUid());
    }
    if (isRebooting(last) && leavesForIt(node)) {
      begins(node);
    }
  }

  private static boolean isRebooting(Node node) {
    return node.isCommitted() && !node.isDraining();
  }

  private static boolean leavesForIt(Node node) {
    return node.isDraining()
        && node.disruption()
            .flatMap(Disruption::active)
            .filter(active -> active.isFor(CAUSE))
            .isPresent();
  }

  private void begins(Node node) {
    String uid = node.poolUid();
    leaving.put(node.uid(), uid);
    Pool pool = pools.get(uid);
    if (pool == null || pool.isTerminating()) {
      return;
    }
    long size =
        nodes.values().stream()
            .filter(each -> each.poolUid().equals(uid) && each.registered())
            .count();
    long most = Math.max(1, size * 5 / 100);
    long inPool = leaving.values().stream().filter(uid::equals).count();
    Invariants.require(
        inPool <= most,
        "{} Nodes of a pool of {} leave at once, since their machines did not come back",
        inPool,
        size);
    Invariants.require(
        leaving.size() <= IN_FLEET,
        "{} Nodes leave at once, since their machines did not come back",
        leaving.size());
    Deque<Instant> row = rows.computeIfAbsent(uid, _ -> new ArrayDeque<>());
    row.removeIf(at -> !at.plus(WINDOW).isAfter(clock.instant()));
    row.add(clock.instant());
    Invariants.require(
        row.size() <= IN_A_ROW,
        "{} Nodes in a row left within 5 minutes, since their machines did not come back",
        row.size());
  }
}
