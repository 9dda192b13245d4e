package io.nodepool.world;

import io.nodepool.model.Node;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A scheduler that is late, as real ones are: it decides by what the Nodes were a moment ago, and
 * binds a moment later, cordoned or not. A Pod that it can place nowhere is tried again.
 */
public final class WorldScheduler {
  /** How old its picture of the Nodes may be. */
  private static final Duration OLDEST_VIEW = Duration.ofSeconds(2);

  /** How long a binding may take. */
  private static final Duration SLOWEST_BINDING = Duration.ofMillis(2_500);

  private static final Duration TRIED_AGAIN = Duration.ofSeconds(20);

  private final World world;
  private final SplittableRandom random;

  /** When a Node was last cordoned, by its UID; not there while it is not. */
  private final Map<String, Instant> cordonedAt = new HashMap<>();

  /** UIDs of the Pods that it bound. */
  private final Set<String> bound = new HashSet<>();

  WorldScheduler(World world, SplittableRandom random) {
    this.world = world;
    this.random = random;
    world.cluster().watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node node)) {
      if (node.cordoned()) {
        cordonedAt.putIfAbsent(node.uid(), world.instant());
      } else {
        cordonedAt.remove(node.uid());
      }
    }
  }

  /** Places a Pod that works for so long, now or when there is room. */
  public void submit(String name, Duration work) {
    Instant view = world.instant().minusNanos(random.nextLong(OLDEST_VIEW.toNanos()));
    List<Node> fit =
        world.cluster().nodes().values().stream()
            .filter(Node::registered)
            .filter(node ->
                !node.cordoned() || cordonedAt.getOrDefault(node.uid(), Instant.MIN).isAfter(view))
            .toList();
    if (fit.isEmpty()) {
      world.later(TRIED_AGAIN, () -> submit(name, work));
      return;
    }
    Node chosen = fit.get(random.nextInt(fit.size()));
    world.later(
        Duration.ofNanos(random.nextLong(SLOWEST_BINDING.toNanos())),
        () -> bind(name, chosen, work));
  }

  private void bind(String name, Node chosen, Duration work) {
    Node node = world.cluster().nodes().get(chosen.name());
    if (node == null || !node.uid().equals(chosen.uid())) {
      submit(name, work);
      return;
    }
    Pod pod =
        world
            .cluster()
            .workloads()
            .bind("default", name, node.name(), "Job", Pod.Interruption.NONE, false);
    bound.add(pod.uid());
    world.later(
        work, () -> world.cluster().workloads().delete(pod.uid(), world.instant(), Duration.ZERO));
  }

  /** Whether it bound the Pod with this UID. */
  boolean hasBound(String podUid) {
    return bound.contains(podUid);
  }
}
