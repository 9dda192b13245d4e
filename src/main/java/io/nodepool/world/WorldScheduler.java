package io.nodepool.world;

import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A scheduler with a delay, like a real one: it decides by an earlier state of the Nodes and binds
 * later, whatever happened to the Node in the meantime. A Pod that it cannot place is retried.
 */
public final class WorldScheduler {
  /** The greatest age of its snapshot of the Nodes. */
  private static final Duration OLDEST_VIEW = Duration.ofSeconds(2);

  /** The longest duration of a binding that waits for nothing. */
  private static final Duration SLOWEST_BINDING = Duration.ofMillis(2_500);

  private static final Duration TRIED_AGAIN = Duration.ofSeconds(20);

  /**
   * How often a binding waits, and for how long at most, for example for a volume or for the other
   * Pods of a gang.
   */
  public record Lateness(int percent, Duration longest) {
    /** No binding waits. */
    public static final Lateness NONE = new Lateness(0, Duration.ZERO);
  }

  private final World world;
  private final SplittableRandom random;
  private final Lateness lateness;

  /** Since when a Node has been closed to new Pods, by its UID; absent while it is open. */
  private final Map<String, Instant> closedSince = new HashMap<>();

  /** UIDs of Nodes that another client uncordoned during their drain, which continues. */
  private final Set<String> reopened = new HashSet<>();

  private boolean stopped;

  /** UIDs of the Pods that it bound without waiting. */
  private final Set<String> bound = new HashSet<>();

  WorldScheduler(World world, SplittableRandom random, Lateness lateness) {
    this.world = world;
    this.random = random;
    this.lateness = lateness;
    world.cluster().list(WorldCluster.Kind.NODES).forEach(this::see);
    world.cluster().watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node node)) {
      if (node.isDraining() && !node.cordoned()) {
        reopened.add(node.uid());
      }
      if (isClosed(node)) {
        closedSince.putIfAbsent(node.uid(), world.instant());
      } else {
        closedSince.remove(node.uid());
      }
    }
  }

  private static boolean isClosed(Node node) {
    return !node.ready()
        || node.cordoned()
        || node.metadata().taints().stream().anyMatch(WorldScheduler::repels);
  }

  /**
   * Whether the taint repels its Pods, which tolerate only the taints that describe a Node's
   * hardware.
   */
  private static boolean repels(Taint taint) {
    boolean kind =
        taint.key().equals(NodeTaints.IS_GPU.key())
            || taint.key().equals(NodeTaints.IS_CPU_COMPUTE.key());
    return !kind && (taint.effect().equals("NoSchedule") || taint.effect().equals("NoExecute"));
  }

  /** Stops it: from now on, no Pod is placed or retried. */
  public void stop() {
    stopped = true;
  }

  /** Places a Pod that runs for this long, now or when capacity is available. */
  public void submit(String name, Duration work) {
    if (stopped) {
      return;
    }
    Instant view = world.instant().minusNanos(random.nextLong(OLDEST_VIEW.toNanos()));
    List<Node> fit =
        world.cluster().nodes().values().stream()
            .filter(node -> closedSince.getOrDefault(node.uid(), Instant.MAX).isAfter(view))
            .toList();
    if (fit.isEmpty()) {
      world.later(TRIED_AGAIN, () -> submit(name, work));
      return;
    }
    Node chosen = fit.get(random.nextInt(fit.size()));
    boolean waits = random.nextInt(100) < lateness.percent();
    Duration longest = waits ? lateness.longest() : SLOWEST_BINDING;
    world.later(
        Duration.ofNanos(random.nextLong(longest.toNanos())),
        () -> bind(name, chosen, work, waits));
  }

  private void bind(String name, Node chosen, Duration work, boolean waited) {
    if (world.cluster().node(chosen.name(), chosen.uid()).isEmpty()) {
      submit(name, work);
      return;
    }
    Pod pod = world.cluster().bindPod("default", name, chosen.name(), "Job");
    if (!waited && !reopened.contains(chosen.uid())) {
      bound.add(pod.uid());
    }
    world.later(work, () -> world.cluster().deletePod(pod.uid(), world.instant()));
  }

  /**
   * Whether it bound the Pod with this UID without a wait, to a Node that no client uncordoned
   * during its drain: for such a Pod, the settle time of a cordon is long enough.
   */
  boolean boundInTime(String podUid) {
    return bound.contains(podUid);
  }
}
