package io.nodepool.world;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldNodeClients;
import java.util.Optional;

/** A client that requests reboots of Nodes, and takes its requests back. */
final class RebootClient {
  private final Drill drill;
  private final WorldNodeClients clients;

  RebootClient(Drill drill) {
    this.drill = drill;
    this.clients = drill.world.cluster().nodeClients();
  }

  /** Requests that a Node pass through this state, as public clients do: condition, then label. */
  void request(String node, LifecycleState state) {
    if (exists(node)) {
      clients.appendPending(node, state.word(), drill.world.instant());
      clients.label(node, NodeLabels.PENDING_STATE.key(), Optional.of(state.word()));
    }
  }

  /** Requests the same at once, although the Node is busy. */
  void requestNow(String node, LifecycleState state) {
    if (exists(node)) {
      policyAlone(node);
      clients.label(node, NodeLabels.PENDING_STATE.key(), Optional.of(state.word()));
    }
  }

  /** Sets the annotation of an immediate request, and no request. */
  void policyAlone(String node) {
    if (exists(node)) {
      clients.annotation(node, NodeAnnotations.REBOOT_POLICY.key(), Optional.of("Immediate"));
    }
  }

  /**
   * Takes the request on a Node back as clients do that know the label alone: it goes, then the
   * condition; the annotation stays.
   */
  void cancel(String node) {
    if (exists(node) && isRequested(node)) {
      clients.label(node, NodeLabels.PENDING_STATE.key(), Optional.empty());
      clients.dropPending(node);
    }
  }

  private boolean isRequested(String node) {
    return Optional.ofNullable(drill.world.cluster().nodes().get(node))
        .filter(seen -> !seen.metadata().label(NodeLabels.PENDING_STATE).isEmpty())
        .isPresent();
  }

  private boolean exists(String node) {
    return drill.world.cluster().nodes().containsKey(node);
  }

  /** Advances time until the machine of the Node boots, for some minutes at most. */
  void untilBooting(String node) {
    for (int i = 0; i < 600 && !isBooting(node); i++) {
      drill.advance(1, SECONDS);
    }
  }

  private boolean isBooting(String node) {
    return Optional.ofNullable(drill.world.cluster().hosts().get(node))
        .filter(Host::isRebooting)
        .isPresent();
  }

  /** Advances time until the Node is cordoned, for some minutes at most. */
  void untilCordoned(String node) {
    for (int i = 0; i < 600 && !isCordoned(node); i++) {
      drill.advance(1, SECONDS);
    }
  }

  private boolean isCordoned(String node) {
    return Optional.ofNullable(drill.world.cluster().nodes().get(node))
        .filter(Node::cordoned)
        .isPresent();
  }
}
