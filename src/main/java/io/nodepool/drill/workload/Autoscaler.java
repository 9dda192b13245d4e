package io.nodepool.drill.workload;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The cluster-autoscaler, which sizes pools with autoscaling (docs/autoscaler.md): it grows them
 * for Pods that wait, gives up late Nodes, and removes Nodes without work.
 */
public final class Autoscaler {
  /** The least age of Pods before a pool grows for them. */
  private static final Duration POD_AGE = Duration.ofSeconds(30);

  /** How long a pool does not grow after its Nodes were late. */
  private static final Duration BACK_OFF = Duration.ofMinutes(5);

  /**
   * Its settings, with their original names.
   *
   * @param scanInterval how often it looks
   * @param unneededTime how long a Node is without work before its removal
   * @param provisionTime how long it waits for Nodes
   */
  public record Settings(Duration scanInterval, Duration unneededTime, Duration provisionTime) {
    /** The defaults of its releases. */
    public static final Settings DEFAULTS =
        new Settings(Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofMinutes(15));
  }

  private final World world;
  private final WorldCluster cluster;
  private final PodScheduler scheduler;
  private final Settings settings;

  /** Since when a Node is without work, by its UID. */
  private final Map<String, Instant> unneeded = new HashMap<>();

  /** The Nodes of a pool at its last growth or join of a Node, and the instant of that. */
  private final Map<String, Progress> progress = new HashMap<>();

  private final Map<String, Instant> notBefore = new HashMap<>();

  private record Progress(int nodes, int target, Instant at) {}

  /** Sizes pools of this world once it runs. */
  public Autoscaler(World world, WorkloadRunner workloads, Settings settings) {
    this.world = world;
    this.cluster = world.cluster();
    this.scheduler = workloads.scheduler();
    this.settings = settings;
  }

  /** Runs it from now on. */
  public void run() {
    List.copyOf(cluster.pools().values()).stream()
        .filter(pool -> pool.spec().size().autoscaling() && !pool.isTerminating())
        .forEach(this::size);
    world.later(settings.scanInterval(), this::run);
  }

  private void size(Pool pool) {
    Instant now = world.instant();
    String name = pool.id().name();
    List<Node> nodes =
        cluster.nodes().values().stream()
            .filter(node -> node.poolUid().equals(pool.id().uid()))
            .toList();
    int target = pool.spec().target();
    Progress last = progress.get(name);
    if (last == null || nodes.size() > last.nodes() || target > last.target()) {
      last = new Progress(nodes.size(), target, now);
    }
    last = new Progress(nodes.size(), target, last.at());
    progress.put(name, last);
    int upcoming = Math.max(0, target - nodes.size());
    if (upcoming > 0 && last.at().plus(settings.provisionTime()).isBefore(now)) {
      notBefore.put(name, now.plus(BACK_OFF));
      resize(pool, Math.max(nodes.size(), pool.spec().size().minNodes()));
      return;
    }
    int most = pool.spec().size().maxNodes();
    int needed =
        notBefore.getOrDefault(name, Instant.MIN).isAfter(now)
            ? 0
            : template(pool, nodes)
                .map(each -> scheduler.nodesFor(each, most, now.minus(POD_AGE)))
                .orElse(0);
    if (needed > upcoming && target < most) {
      resize(pool, Math.min(most, target + needed - upcoming));
    } else if (needed == 0 && upcoming == 0) {
      shrink(pool, nodes);
    }
  }

  private void resize(Pool pool, int target) {
    if (target != pool.spec().target()) {
      cluster.editPool(pool.id().name(), spec -> sized(spec, target));
    }
  }

  private static PoolSpec sized(PoolSpec spec, int target) {
    return spec.withSize(spec.size().withTargetNodes(OptionalInt.of(target)));
  }

  private void shrink(Pool pool, List<Node> nodes) {
    Instant now = world.instant();
    int target = pool.spec().target();
    for (Node node : nodes) {
      if (cluster.workloads().isBusy(node.name()) || node.isTerminating()) {
        unneeded.remove(node.uid());
      } else if (!unneeded
              .computeIfAbsent(node.uid(), _ -> now)
              .plus(settings.unneededTime())
              .isAfter(now)
          && target > pool.spec().size().minNodes()) {
        unneeded.remove(node.uid());
        cluster.nodeClients().metadata(node.name(), Autoscaler::marked);
        cluster.nodeClients().cordon(node.name(), true);
        target--;
      }
    }
    resize(pool, target);
  }

  private static NodeMetadata marked(NodeMetadata metadata) {
    Taint mark = new Taint(NodeTaints.AUTOSCALER_DELETION.key(), "", "NoSchedule");
    return metadata.withTaints(Stream.concat(metadata.taints().stream(), Stream.of(mark)).toList());
  }

  /** A further Node of a pool, modelled on one of its Nodes, or on its instance type. */
  private Optional<NodeView> template(Pool pool, List<Node> nodes) {
    return nodes.stream()
        .flatMap(node -> scheduler.view(node.name()).stream())
        .findFirst()
        .or(() ->
            cluster.hosts().values().stream()
                .filter(host -> host.machine().instanceType().equals(pool.spec().instanceType()))
                .findFirst()
                .flatMap(host -> ofType(pool, host)));
  }

  private Optional<NodeView> ofType(Pool pool, Host host) {
    Map<String, String> labels = new HashMap<>(pool.spec().node().labels());
    labels.put(NodeLabels.NODE_POOL.key(), pool.id().name());
    labels.put(NodeLabels.NODE_POOL_UID.key(), pool.id().uid());
    return scheduler.template(host, labels, pool.spec().node().taints());
  }
}
