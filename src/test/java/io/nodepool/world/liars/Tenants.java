package io.nodepool.world.liars;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Tenants, who keep a share of the Nodes busy: a Pod that ends is followed by another one. */
final class Tenants {
  private final World world;
  private final WorldCluster cluster;
  private final LiarRun.Work work;
  private final SplittableRandom random;
  private int count;

  Tenants(World world, LiarRun.Work work, SplittableRandom random) {
    this.world = world;
    this.cluster = world.cluster();
    this.work = work;
    this.random = random;
  }

  /** Places Pods that are missing on Nodes that take them. */
  void place(Pool pool, boolean atFirst) {
    List<Node> nodes =
        cluster.nodes().values().stream()
            .filter(node -> node.poolUid().equals(pool.id().uid()))
            .toList();
    Set<String> busy = new HashSet<>();
    cluster.pods().values().stream()
        .filter(pod -> pod.deletedAt().isEmpty())
        .map(Pod::nodeName)
        .forEach(busy::add);
    long wanted = Math.round(nodes.size() * work.busy() / 100.0);
    long running = nodes.stream().filter(node -> busy.contains(node.name())).count();
    for (Node node : nodes) {
      boolean takes =
          node.ready() && node.registered() && !node.cordoned() && !node.isTerminating();
      if (running < wanted && takes && !busy.contains(node.name())) {
        start(node, atFirst);
        running++;
      }
    }
  }

  private void start(Node node, boolean atFirst) {
    Pod pod = cluster.bindPod("default", "work-" + count++, node.name(), "ReplicaSet");
    if (work.guarded()) {
      cluster.workloads().guard(pod.uid());
    }
    if (!work.isEndless()) {
      // Those of the beginning have run for a while already.
      Duration lasts =
          atFirst ? work.lasts().multipliedBy(1 + random.nextInt(4)).dividedBy(4) : work.lasts();
      world.later(lasts, () -> cluster.workloads().finish(pod.uid()));
    }
  }
}
