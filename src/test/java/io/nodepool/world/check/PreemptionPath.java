package io.nodepool.world.check;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.PlanSettings;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The operator's promise about when a preempted Node is gone. */
final class PreemptionPath {
  /** The longest wait between two attempts to write. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final WorldCluster cluster;
  private final PlanSettings.PreemptionSettings settings = PlanSettings.DEFAULTS.preemption();

  /** The Nodes whose machines must stop at a recorded instant, by name. */
  private final Map<String, Node> stopping = new HashMap<>();

  PreemptionPath(WorldCluster cluster) {
    this.cluster = cluster;
    cluster.watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeGone(String name, String _, long _)) {
      stopping.remove(name);
    } else if (seen instanceof Observation.NodeSeen(Node node)) {
      Optional<Instant> next = stop(node);
      Node last = next.isPresent() ? stopping.put(node.name(), node) : stopping.get(node.name());
      if (next.isEmpty() && !node.isDraining()) {
        stopping.remove(node.name());
      } else if (last != null && last.uid().equals(node.uid())) {
        Instant before = stop(last).orElseThrow();
        Invariants.require(
            next.filter(at -> !at.isAfter(before)).isPresent(),
            "the end of Node {} moved from {} to {}",
            node.name(),
            before,
            next);
      }
    }
  }

  private static Optional<Instant> stop(Node node) {
    return node.disruption().orElse(null) instanceof Disruption.Committed committed
            && committed.isLeaving()
        ? committed.limits().stopAt()
        : Optional.empty();
  }

  /**
   * The machine of a preempted Node does not run for its pool later than half a minute after its
   * end, or after an operator could act again.
   *
   * @param calmSince since when an operator runs and nothing disturbs it
   */
  void check(Instant now, Instant calmSince) {
    for (Node node : stopping.values()) {
      Instant due = stop(node).orElseThrow().plus(settings.forced());
      Instant able = calmSince.plus(settings.forced()).plus(LONGEST_WAIT);
      Instant latest = (able.isAfter(due) ? able : due).plus(Consent.REACTION);
      Invariants.require(
          now.isBefore(latest) || !runs(node),
          "the machine of Node {} runs at {}, and had to stop at {}",
          node.name(),
          now,
          due);
    }
  }

  private boolean runs(Node node) {
    return cluster
        .host(node.name())
        .filter(host -> node.isOf(host) && host.assignment().isPresent())
        .filter(host -> host.power() == Host.Power.ON)
        .isPresent();
  }
}
