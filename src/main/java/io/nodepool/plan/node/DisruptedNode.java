package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Preservation;
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

/**
 * A Node that may be disrupted, and the facts that its disruption depends on.
 *
 * @param pool the pool that it belongs to, for Events and messages
 * @param demands the demands on it, at the instant of the plan
 * @param isCertain whether it is certain that the Node has a machine, or has none
 */
record DisruptedNode(
    Node node,
    PoolId pool,
    MachineSnapshot.Bound bound,
    MachineSnapshot.Evidence evidence,
    NodeDemands demands,
    boolean isCertain) {
  /** How long a live list is valid: a Pod may be bound to a cordoned Node at any time. */
  static final Duration LIST_VALID = Duration.ofSeconds(1);

  /** What becomes of a Node with a machine when it is drained, for messages. */
  static final String MACHINE_STOPPED = "its machine is stopped";

  private static final String MACHINE_KEPT = "its machine is kept for inspection";

  /** The Node of a machine that belongs to a pool and must run. */
  static DisruptedNode running(
      MachineSnapshot seen, Node node, PoolId pool, Instant now, PlanSettings settings) {
    return of(seen, node, pool, CauseFacts.of(seen, now, settings));
  }

  /**
   * A Node of an earlier tenancy of the Host. The machine does not run for it, so the Pods that are
   * bound to the Node run nowhere.
   */
  static DisruptedNode abandoned(
      MachineSnapshot seen, Node node, Instant now, PlanSettings settings) {
    return of(seen, node, poolOf(node), CauseFacts.withoutMachine(node, true, now, settings));
  }

  private static DisruptedNode of(MachineSnapshot seen, Node node, PoolId pool, CauseFacts facts) {
    DisruptionAdmission admission =
        DisruptionAdmission.of(
            facts.pool(),
            seen.organization().isPresent(),
            facts.host().flatMap(host -> host.hold(facts.now())));
    return new DisruptedNode(
        node, pool, seen.bound(), seen.evidence(), new NodeDemands(facts, admission), true);
  }

  /**
   * A Node whose Host the watch does not show. Tenant work keeps it, because a client that deleted
   * the Host may not have considered that work.
   */
  static DisruptedNode of(LeftoverNode seen, Instant now, PlanSettings settings) {
    return new DisruptedNode(
        seen.node(),
        poolOf(seen.node()),
        seen.bound(),
        seen.evidence(),
        new NodeDemands(
            CauseFacts.withoutMachine(seen.node(), false, now, settings),
            DisruptionAdmission.of(Optional.empty(), true, Optional.empty())),
        seen.evidence().ownerGone());
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

  /** The Pods bound to it, ordered by UID. */
  List<Pod> pods() {
    return bound.pods();
  }

  /** Its machine, which belongs to a pool and must run; empty if it has none any more. */
  Optional<MachineSnapshot> machine() {
    return demands.facts().seen();
  }

  /** The Events about its disruption. */
  DisruptionEvents events() {
    return new DisruptionEvents(node, pool, machine().isPresent());
  }

  /** The record of its disruption, as it is written. */
  NodeRecord record() {
    String organization = machine().flatMap(MachineSnapshot::organization).orElse("");
    return new NodeRecord(node, events(), organization);
  }

  /** What becomes of it when it is drained, as text for messages. */
  String endText() {
    if (machine().isEmpty()) {
      return "it has no machine, and is deleted";
    }
    return node.activeDisruption()
        .flatMap(active -> Preservation.begun(machine().get(), active, now(), settings()))
        .map(_ -> MACHINE_KEPT)
        .orElse(MACHINE_STOPPED);
  }

  /** Until when its pool passes it over, from now. */
  Instant passedOver() {
    return now().plus(settings().removal().passedOver());
  }

  /** Whether it has tenant work. */
  boolean isBusy() {
    return isBusy(pods());
  }

  /** Whether these Pods on it are tenant work. */
  boolean isBusy(List<Pod> of) {
    return NodeActivity.workload(of, bound.controlPlane()::contains, node, now()).isBusy();
  }

  /** The drain of these Pods within these limits. */
  Drain drain(List<Pod> of, DisruptionLimits limits) {
    return new Drain(node, evidence.tried(), of, limits, now(), settings(), endText());
  }

  /** This stage of a drain, with the reason why its requests fail; unchanged if none fails. */
  Node.Removing failing(Node.Removing says) {
    // The message names blocked Pods already.
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
   * CWNodeRemoval while the Node may still stay, with the causes in force; empty for a reboot,
   * which is no removal (decision D73).
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
   * The action that sets CWNodeRemoval to the causes in force; empty if it shows them. The
   * condition is part of the status, so it needs a write of its own.
   */
  Optional<PlannedAction> announce(Disruption.Active active) {
    Optional<Node.Removing> removing = toLeave(active);
    return PlannedAction.reportRemoval(
        node, removing, removing.isPresent() ? "it is marked" : "it is not being removed");
  }
}
