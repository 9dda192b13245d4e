package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A Node that may be disrupted, and the facts that its disruption depends on.
 *
 * @param pool the pool that it belongs to, for Events and messages
 * @param controlPlane names of the Namespaces of its Pods that belong to the control plane
 * @param fleetIsKnown whether the fleet can be reached
 * @param end the last action, once no Pod is left to evict
 */
record DisruptedNode(
    Node node,
    PoolId pool,
    List<Pod> pods,
    Set<String> controlPlane,
    MachineSnapshot.Evidence evidence,
    boolean fleetIsKnown,
    Function<Disruption.Committed, PlannedAction> end) {
  /** How long a live list is valid: a Pod may be bound to a cordoned Node at any time. */
  static final Duration LIST_VALID = Duration.ofSeconds(1);

  /** The work of these Pods. */
  Workload workload(List<Pod> of, Instant now) {
    return NodeActivity.workload(of, controlPlane::contains, node, now);
  }

  /** The drain of these Pods within these limits. */
  Drain drain(List<Pod> of, Disruption.Limits limits, Instant now, PlanSettings settings) {
    return new Drain(node, evidence.tried(), of, limits, now, settings);
  }

  /** The last live list of its Pods, while that is valid. */
  Optional<MachineSnapshot.Listing> listed(Instant now) {
    return evidence.listed().filter(each -> now.isBefore(each.at().plus(LIST_VALID)));
  }

  /** The action that lists its Pods live. */
  PlannedAction list(String why) {
    return PlannedAction.quiet(new Action.ListPods(node.name(), node.uid(), node.version()), why);
  }

  /**
   * CWNodeRemoval while the Node may still stay, with the causes in force; empty if it does not
   * leave: a reboot is no removal (decision D73).
   */
  Optional<Node.Removing> marked(Disruption.Active active) {
    if (!active.leaves()) {
      return Optional.empty();
    }
    List<String> kept =
        active.causes().stream()
            .filter(Disruption.Cause::leaves)
            .map(cause -> KnownCause.of(cause).keptText())
            .distinct()
            .toList();
    String stays = kept.size() == 1 ? " " + kept.getFirst() : "";
    return Optional.of(
        new Node.Removing(
            NodeRemovalReason.MARKED,
            "Chosen to leave NodePool %s: %s.%s".formatted(pool.name(), active.text(), stays)));
  }

  /**
   * The action that makes CWNodeRemoval say what is in force; empty if it does. The condition is
   * part of the status, so it needs a write of its own.
   */
  Optional<PlannedAction> announce(Disruption.Active active) {
    Optional<Node.Removing> says = marked(active);
    return node.removing().equals(says)
        ? Optional.empty()
        : Optional.of(
            PlannedAction.quiet(
                Action.WriteNode.reportRemoval(node, says),
                says.isPresent() ? "it is marked" : "it is not being removed"));
  }
}
