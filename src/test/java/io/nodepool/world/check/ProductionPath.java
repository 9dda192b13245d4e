package io.nodepool.world.check;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Request;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * No write of the operator takes a Node out of production under the work of a tenant: the taint of
 * every other state is NoExecute, and asks no budget. That is seen in the Pods and machines
 * themselves. What lives on a machine that was powered off is judged at its power-off.
 */
final class ProductionPath {
  private static final String PRODUCTION = "production";

  private final WorldCluster cluster;
  private final TenantPods pods;
  private final ConsentPath consents;
  private final InstantSource clock;

  /** UIDs of the Nodes that are in production by their label. */
  private final Set<String> inProduction = new HashSet<>();

  /** The Node that the write which takes effect took out of production. */
  private Optional<Node> left = Optional.empty();

  ProductionPath(WorldCluster cluster, TenantPods pods, ConsentPath consents, InstantSource clock) {
    this.cluster = cluster;
    this.pods = pods;
    this.consents = consents;
    this.clock = clock;
    cluster.watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeGone(_, String uid, _)) {
      inProduction.remove(uid);
    } else if (seen instanceof Observation.NodeSeen(Node node)) {
      if (node.metadata().label(NodeLabels.STATE).equals(PRODUCTION)) {
        inProduction.add(node.uid());
      } else if (inProduction.remove(node.uid())) {
        left = Optional.of(node);
      }
    }
  }

  /** A request of an operator is about to take effect. */
  void before() {
    left = Optional.empty();
  }

  /** The request has taken effect. */
  void after(Request request) {
    left.filter(this::runs).ifPresent(node -> check(request, node));
  }

  private boolean runs(Node node) {
    return cluster
        .host(node.name())
        .filter(host -> node.isOf(host) && host.power() == Host.Power.ON)
        .isPresent();
  }

  /**
   * Only Pods that were bound after the operator's last live list of the Node may live on it, which
   * it cannot know, those past the grace of a forced deletion, and those bound after its deadline.
   */
  private void check(Request request, Node node) {
    if (isStopDue(node)) {
      return;
    }
    pods.known(request, node)
        .filter(pod -> !consents.isOver(request, pod, node))
        .findFirst()
        .ifPresent(pod ->
            Invariants.require(
                false,
                "Node {} leaves production for {}, and {} runs on it",
                node.name(),
                node.metadata().label(NodeLabels.STATE),
                pod));
  }

  /** Whether the instant has come at which its machine is stopped or booted with what is left. */
  private boolean isStopDue(Node node) {
    return node.disruption().orElse(null) instanceof Disruption.Committed committed
        && committed.limits().isStopDue(clock.instant());
  }
}
