package io.nodepool.world.check;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Request;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The operator's promises for Pods on Nodes in removal, as docs/testing.md names them. */
public final class TerminationPath {
  private final OperatorViews views;
  private final WorldCluster cluster;

  /** The record of each Node's removal as last observed, by the Node's UID. */
  private final Map<String, Disruption.Committed> draining = new HashMap<>();

  private final TenantPods pods;
  private final ConsentPath consents;

  TerminationPath(
      WorldCluster cluster, TenantPods pods, ConsentPath consents, OperatorViews views) {
    this.views = views;
    this.cluster = cluster;
    this.pods = pods;
    this.consents = consents;
    cluster.watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeGone(_, String uid, _)) {
      draining.remove(uid);
    } else if (seen instanceof Observation.NodeSeen(Node node)) {
      onlyTightens(node);
    }
  }

  private void onlyTightens(Node node) {
    if (node.disruption().orElse(null) instanceof Disruption.Committed next) {
      Disruption.Committed last = draining.put(node.uid(), next);
      Invariants.require(
          last == null
              || last.isLeaving() != next.isLeaving()
              || !next.forceAt().isAfter(last.forceAt()),
          "the deadline of the drain of Node {} moved from {} to {}",
          node.name(),
          last == null ? "" : last.forceAt(),
          next.forceAt());
    } else {
      draining.remove(node.uid());
    }
  }

  /** Checks an intent before it takes effect. */
  void before(Request request, Action action) {
    Invariants.require(
        action instanceof Action.Read || !views.of(request).unreadable(),
        "{} although its object, or what holds it, could not be read",
        action);
    if (action instanceof Action.EvictPod(Action.Subject.OfPod pod, var _)) {
      ends(request, pod, action);
    } else if (action instanceof Action.DeletePod(Action.Subject.OfPod pod, var _)) {
      ends(request, pod, action);
    } else if (action instanceof Action.OnHost(HostOperation operation)) {
      before(request, operation);
    } else if (action instanceof Action.DeleteNode(String name, String uid)) {
      cluster.node(name, uid).ifPresent(node -> endsAfterDrain(request, node, action));
    } else if (action instanceof Action.WriteNode commit && commit.isFor(NodePurpose.COMMIT)) {
      commits(request, commit);
    } else if (action instanceof Action.WriteNode admit) {
      admits(admit);
    } else if (action instanceof Action.ListPods list) {
      views.of(request.sender).listed(list);
    } else if (action instanceof Action.ConfirmEmpty(PoolId pool)) {
      views.of(request.sender).confirmed(pool);
    }
  }

  private void before(Request request, HostOperation operation) {
    Optional<Node> node = nodeOf(operation);
    switch (operation) {
      case HostOperation.Stop _ -> node.ifPresent(each -> stops(request, each, operation));
      case HostOperation.Cancel _ ->
          node.ifPresent(each -> endsAfterDrain(request, each, operation));
      case HostOperation.Release _ ->
          node.ifPresent(each -> {
            endsAfterDrain(request, each, operation);
            Invariants.require(
                !views.of(request).node().equals(each.uid()),
                "{} although its Node {} exists",
                operation,
                each.name());
          });
      case HostOperation.Boot boot -> node.ifPresent(each -> boots(request, each, boot));
      case HostOperation.Preserve _ ->
          node.ifPresent(each -> endsAfterDrain(request, each, operation));
      case HostOperation.Assign _,
          HostOperation.Delivered _,
          HostOperation.ClearFailures _,
          HostOperation.DropBoot _,
          HostOperation.RepairComponent _,
          HostOperation.Note _,
          HostOperation.Stage _ -> {}
    }
  }

  /** Whether power and phase permit the server to carry out the operation. */
  private static boolean fits(HostOperation operation, Host host) {
    return switch (operation) {
      case HostOperation.Cancel cancel -> host.report().phase() == cancel.phase();
      case HostOperation.Release _ -> host.power() == Host.Power.OFF;
      case HostOperation.Stop _,
          HostOperation.Preserve _,
          HostOperation.Assign _,
          HostOperation.Delivered _,
          HostOperation.ClearFailures _,
          HostOperation.Boot _,
          HostOperation.DropBoot _,
          HostOperation.RepairComponent _,
          HostOperation.Note _,
          HostOperation.Stage _ ->
          true;
    };
  }

  /** The Node of the tenancy that an operation is about, if the operation will take effect. */
  private Optional<Node> nodeOf(HostOperation operation) {
    HostId id = operation.host();
    Host host = cluster.hosts().get(id.name());
    boolean meant =
        host != null
            && host.id().equals(id)
            && host.tenancy() == operation.tenancy()
            && fits(operation, host)
            && host.isHeldBy(operation.pool().uid());
    return cluster
        .node(id.name())
        .filter(node ->
            meant
                && node.hostUid().equals(id.uid())
                && node.identity().tenancy() == operation.tenancy());
  }

  /** Only a drain ends Pods, with consent, and it respects their budgets until its deadline. */
  private void ends(Request request, Action.Subject.OfPod subject, Action how) {
    Pod pod = cluster.pods().get(subject.uid());
    Node node = cluster.nodes().get(subject.node());
    if (pod == null || node == null) {
      return;
    }
    consents.ends(request, pod, node, how);
    Invariants.require(
        !(how instanceof Action.DeletePod)
            || pod.interruption() == Pod.Interruption.GRACEFUL
            || consents.isForced(request, node),
        "{} is deleted before the deadline, without regard to its budgets",
        pod);
  }

  /**
   * A machine whose Node has live work is powered off or released only after a recorded drain. A
   * Pod that was bound while the machine was off never ran.
   */
  private void endsAfterDrain(Request request, Node node, Object how) {
    pods.running(node)
        .findFirst()
        .ifPresent(pod ->
            Invariants.require(
                consents.isLeaving(request, node),
                "{} although {} runs on Node {}",
                how,
                pod,
                node.name()));
    consents.endsAll(request, node, how);
  }

  /**
   * Before the deadline, no power-off ends a Pod that was bound before the operator's last live
   * list of the Node. A Pod that is bound between that list and the power-off cannot be known.
   */
  private void stops(Request request, Node node, HostOperation stop) {
    endsAfterDrain(request, node, stop);
    if (consents.isForced(request, node) || !node.isDraining()) {
      return;
    }
    long listed =
        views.of(request.sender).listing(node.uid()).map(OperatorView.Listing::at).orElse(-1L);
    pods.live(node)
        .filter(pod -> pods.bound(pod) <= listed || listed < 0)
        .findFirst()
        .ifPresent(pod ->
            Invariants.require(false, "{} is ended by the power-off of Node {}", pod, node.name()));
  }

  /** A drain begins only on a live list for the Node's present version. */
  private void commits(Request request, Action.WriteNode commit) {
    Node node = consents.nodeOf(commit).orElse(null);
    if (node == null || node.isDraining()) {
      return;
    }
    if (commit
        .next()
        .flatMap(Disruption::active)
        .filter(next -> next.isFor("RebootFailed"))
        .isPresent()) {
      // The machine did not come back from its reboot, so no work runs on it.
      return;
    }
    Optional<OperatorView.Listing> listing = views.of(request.sender).listing(node.uid());
    Invariants.require(
        listing.filter(made -> made.nodeVersion() == node.version()).isPresent(),
        "the drain of Node {} begins without a live list of its Pods",
        node.name());
  }

  /**
   * A machine whose Node has live work is booted anew only after a recorded drain, and without
   * consent to interrupt work a reboot never ends a Pod that was bound before the operator's last
   * live list of the Node.
   */
  private void boots(Request request, Node node, HostOperation.Boot boot) {
    boolean leavesItsBootAlready = cluster.host(node.name()).filter(Host::isRebooting).isPresent();
    if (!boot.request().kind().boots() || leavesItsBootAlready) {
      return;
    }
    pods.known(request, node)
        .filter(pod -> !consents.isOver(request, pod, node))
        .findFirst()
        .ifPresent(pod ->
            Invariants.require(
                node.isCommitted() && consents.areGiven(request, node),
                "{} although {} runs on Node {}",
                boot,
                pod,
                node.name()));
    consents.endsAll(request, node, boot);
  }

  /** A Node leaves as an orphan only if its pool does not exist, not if the pool cannot be read. */
  private void admits(Action.WriteNode admit) {
    if (admit
        .next()
        .flatMap(Disruption::active)
        .filter(active -> active.isFor("Orphaned"))
        .isPresent()) {
      cluster
          .host(admit.node())
          .flatMap(Host::assignment)
          .filter(
              held -> cluster.pools().values().stream().anyMatch(p -> p.id().equals(held.pool())))
          .ifPresent(held ->
              Invariants.require(
                  false,
                  "Node {} is marked as an orphan, and {} exists",
                  admit.node(),
                  held.pool()));
    }
  }

  /**
   * Checks the effect of an intent: each cordon of the operator is recorded in the same write, and
   * no recorded drain is taken back, but for that of a repair.
   *
   * @param drained whether the intent's Node was being drained before for nothing of a repair
   */
  void after(Action action, Answer<Observation> answer, boolean drained) {
    if (drained && action.subject() instanceof Action.Subject.OfNode(String node, String uid)) {
      cluster
          .node(node, uid)
          .ifPresent(seen ->
              Invariants.require(
                  seen.isDraining(), "{} took back the drain of Node {}", action, node));
    }
    boolean cordons =
        action instanceof Action.WriteNode write
            && write.change().cordoning() == NodeChange.Cordoning.CORDON;
    if (cordons && answer instanceof Answer.Done<Observation>) {
      String name = ((Action.Subject.OfNode) action.subject()).name();
      boolean recorded = cluster.node(name).filter(Node::isTerminating).isPresent();
      Invariants.require(recorded, "Node {} is cordoned without a record", name);
    }
  }

  /** Whether an intent's Node is being drained, and not for a repair. */
  boolean isDrained(Action action) {
    return action.subject() instanceof Action.Subject.OfNode(String node, String uid)
        && cluster
            .node(node, uid)
            .filter(Node::isDraining)
            .flatMap(Node::disruption)
            .flatMap(Disruption::active)
            .filter(active ->
                active.causes().stream()
                    .noneMatch(cause -> cause.leaves() && cause.what().isRepair()))
            .isPresent();
  }
}
