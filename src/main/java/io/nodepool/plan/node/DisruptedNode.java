package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.NodeDemands;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A Node that may be disrupted, and the facts that its disruption depends on.
 *
 * @param pool the pool that it belongs to, for Events and messages
 * @param controlPlane names of the Namespaces of its Pods that belong to the control plane
 * @param demands what is demanded of it, at the instant of the plan
 * @param kind what becomes of its machine
 */
record DisruptedNode(
    Node node,
    PoolId pool,
    List<Pod> pods,
    Set<String> controlPlane,
    MachineSnapshot.Evidence evidence,
    NodeDemands demands,
    Kind kind) {
  /** How long a live list is valid: a Pod may be bound to a cordoned Node at any time. */
  static final Duration LIST_VALID = Duration.ofSeconds(1);

  /** What becomes of a Node with a machine when it is drained, for messages. */
  static final String MACHINE_STOPPED = "its machine is stopped";

  private static final String MACHINE_KEPT = "its machine is kept for inspection";

  /** The kinds of such Nodes. */
  sealed interface Kind {
    /** The machine belongs to a pool and must run. */
    record Running(NodeUpkeep upkeep) implements Kind {}

    /**
     * The watch shows no Host of the Node. Tenant work keeps it, because a client that deleted the
     * Host may not have considered that work.
     */
    record Leftover() implements Kind {}

    /**
     * The Host no longer belongs to the tenancy of the Node, and the machine does not run for it:
     * the Pods that are bound to the Node run nowhere.
     */
    record Abandoned() implements Kind {}
  }

  /** The Node of a machine that must run. */
  static DisruptedNode running(NodeUpkeep upkeep) {
    MachineSnapshot seen = upkeep.seen();
    CauseFacts facts = CauseFacts.of(seen, upkeep.now(), upkeep.settings());
    return of(seen, upkeep.node(), upkeep.pool(), facts, new Kind.Running(upkeep));
  }

  /** A Node that the machine of this name no longer serves. */
  static DisruptedNode abandoned(
      MachineSnapshot seen, Node node, Instant now, PlanSettings settings) {
    CauseFacts facts = CauseFacts.withoutMachine(node, true, now, settings);
    return of(seen, node, poolOf(node), facts, new Kind.Abandoned());
  }

  private static DisruptedNode of(
      MachineSnapshot seen, Node node, PoolId pool, CauseFacts facts, Kind kind) {
    return new DisruptedNode(
        node,
        pool,
        seen.pods(),
        seen.controlPlane(),
        seen.evidence(),
        new NodeDemands(
            facts, DisruptionAdmission.of(facts.pool(), seen.organization().isPresent())),
        kind);
  }

  /** A Node whose Host the watch does not show. */
  static DisruptedNode of(LeftoverNode seen, Instant now, PlanSettings settings) {
    return new DisruptedNode(
        seen.node(),
        poolOf(seen.node()),
        seen.bound().pods(),
        seen.bound().controlPlane(),
        seen.evidence(),
        new NodeDemands(
            CauseFacts.withoutMachine(seen.node(), false, now, settings),
            DisruptionAdmission.of(Optional.empty(), true)),
        new Kind.Leftover());
  }

  /** The pool that a Node's labels name. */
  private static PoolId poolOf(Node node) {
    return new PoolId(node.metadata().label(NodeLabels.NODE_POOL), node.poolUid());
  }

  /** The instant of the plan. */
  Instant now() {
    return demands.facts().now();
  }

  PlanSettings settings() {
    return demands.facts().settings();
  }

  /** The record of its disruption, as it is written. */
  NodeRecord record() {
    boolean held = kind instanceof Kind.Running;
    String organization = demands.facts().seen().flatMap(MachineSnapshot::organization).orElse("");
    return new NodeRecord(node, new DisruptionEvents(node, pool, held), organization);
  }

  /** Whether it is known for certain what becomes of the machine. */
  boolean isCertain() {
    return switch (kind) {
      case Kind.Running _, Kind.Abandoned _ -> true;
      case Kind.Leftover _ -> evidence.ownerGone();
    };
  }

  /** The last action, once no Pod is left to evict. */
  PlannedAction end(Disruption.Committed removal) {
    return switch (kind) {
      case Kind.Running(NodeUpkeep upkeep) -> upkeep.end(removal);
      case Kind.Leftover _, Kind.Abandoned _ -> NodeDeletion.delete(node, pods, Optional.empty());
    };
  }

  /** The plan while its drained machine is verified; empty if it is not, or once it was. */
  Optional<MachinePlan> verified(Disruption.Committed removal) {
    return switch (kind) {
      case Kind.Running(NodeUpkeep upkeep) -> upkeep.verified(removal);
      case Kind.Leftover _, Kind.Abandoned _ -> Optional.empty();
    };
  }

  /** The plan while its machine is kept for inspection; empty if it goes on leaving. */
  Optional<MachinePlan> kept(Disruption.Committed removal) {
    return switch (kind) {
      case Kind.Running(NodeUpkeep upkeep) -> upkeep.kept(record(), removal);
      case Kind.Leftover _, Kind.Abandoned _ -> Optional.empty();
    };
  }

  /** What becomes of it when it is drained, as text for messages. */
  String endText() {
    return switch (kind) {
      case Kind.Running(NodeUpkeep upkeep) -> upkeep.keeps() ? MACHINE_KEPT : MACHINE_STOPPED;
      case Kind.Leftover _, Kind.Abandoned _ -> "it has no machine, and is deleted";
    };
  }

  /** Whether it has tenant work. */
  boolean isBusy() {
    return isBusy(pods);
  }

  /** Whether these Pods on it are tenant work. */
  boolean isBusy(List<Pod> of) {
    return NodeActivity.workload(of, controlPlane::contains, node, now()).isBusy();
  }

  /** The drain of these Pods within these limits. */
  Drain drain(List<Pod> of, DisruptionLimits limits) {
    return new Drain(node, evidence.tried(), of, limits, now(), settings(), endText());
  }

  /** This stage of a drain, with why its requests fail; itself while they do not. */
  Node.Removing failing(Node.Removing says) {
    // What budgets block is named already.
    return evidence
        .failing()
        .filter(_ -> says.reason() != NodeRemovalReason.BLOCKED_BY_BUDGET)
        .map(why ->
            new Node.Removing(
                says.reason(), "%s It fails at present: %s.".formatted(says.message(), why)))
        .orElse(says);
  }

  /** The last live list of its Pods, while that is valid. */
  Optional<MachineSnapshot.Listing> listed() {
    return evidence.listed().filter(each -> now().isBefore(each.at().plus(LIST_VALID)));
  }

  /** The action that lists its Pods live. */
  PlannedAction list(String why) {
    return PlannedAction.quiet(new Action.ListPods(node.name(), node.uid(), node.version()), why);
  }

  /**
   * CWNodeRemoval while the Node may still stay, with the causes in force; empty if it does not
   * leave: a reboot is no removal (decision D73).
   */
  Optional<Node.Removing> toLeave(Disruption.Active active) {
    if (!active.leaves()) {
      return Optional.empty();
    }
    List<Optional<String>> kept =
        active.causes().stream()
            .filter(Disruption.Cause::leaves)
            .map(cause -> KnownCause.of(cause).keptText(cause.at(), demands.facts()))
            .distinct()
            .toList();
    String stays = kept.size() == 1 ? kept.getFirst().map(" "::concat).orElse("") : "";
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
    Optional<Node.Removing> removing = toLeave(active);
    return PlannedAction.reportRemoval(
        node, removing, removing.isPresent() ? "it is marked" : "it is not being removed");
  }
}
