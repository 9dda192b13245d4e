package io.nodepool.plan.node;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.node.LeftoverNode;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Removal;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.RemovalCause;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plans the next step of a machine: apply its pool's metadata to its Node, register the Node,
 * report its activity, or remove it from its pool step by step. Pure. A plan has at most one step,
 * and each step follows from the objects alone.
 */
public final class MachinePlanner {
  private static final String NOT_REQUESTED = "its removal is no longer requested";

  private final InstanceCatalogue catalogue;
  private final PlanSettings settings;

  /** A planner for the instance types of this catalogue. */
  public MachinePlanner(InstanceCatalogue catalogue, PlanSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /** The plan of the machine at this instant, and when to plan again. */
  public MachinePlan plan(MachineSnapshot seen, Instant now) {
    Optional<Node> ofAnotherHost =
        seen.node().filter(node -> !node.hostUid().equals(seen.host().id().uid()));
    if (ofAnotherHost.isPresent()) {
      return plan(
          new LeftoverNode(ofAnotherHost.get(), seen.pods(), seen.controlPlane(), seen.evidence()),
          now);
    }
    Optional<Instant> nextChange =
        seen.presentNode().flatMap(node -> NodeActivity.nextChange(seen, node, now));
    return step(seen, now).or(nextChange);
  }

  /**
   * Plans a Node whose Host was deleted: the Node has no machine and is removed. Tenant work keeps
   * it, because the client that deleted the Host may not have considered that work.
   */
  public MachinePlan plan(LeftoverNode seen, Instant now) {
    Node node = seen.node();
    NodeTermination termination =
        new NodeTermination(
            new NodeTermination.Leaving(
                node,
                seen.pods(),
                seen.controlPlane(),
                seen.evidence(),
                false,
                true,
                removal -> new Action.DeleteNode(node.name(), node.uid())),
            poolOf(node),
            now,
            settings);
    MachinePlan plan =
        switch (node.removal().orElse(null)) {
          case Removal.Draining draining -> termination.drain(draining);
          case Removal.Marked marked -> termination.settle(marked);
          case Removal.PassedOver passed when !passed.isOver(now) ->
              MachinePlan.waiting(passed.until());
          case Removal.PassedOver _, Removal.Requested _ -> planLeftover(seen, termination, now);
          case null -> planLeftover(seen, termination, now);
        };
    return plan.or(NodeActivity.nextChange(seen.pods(), node, now));
  }

  /**
   * A Host that the watch does not show may still exist: only a live read shows that it does not.
   */
  private static MachinePlan planLeftover(
      LeftoverNode seen, NodeTermination termination, Instant now) {
    Node node = seen.node();
    if (NodeActivity.of(seen, now).active()) {
      return MachinePlan.NOTHING;
    }
    return MachinePlan.of(
        seen.evidence().ownerGone()
            ? termination.choose(RemovalCause.NO_MACHINE)
            : PlannedAction.quiet(
                new Action.Confirm(
                    new Action.Subject.OfHost(new HostId(node.name(), node.hostUid()))),
                "its Host was not observed"));
  }

  /** The pool that a Node's labels name, for its Events and messages. */
  private static PoolId poolOf(Node node) {
    return new PoolId(node.metadata().label(NodeLabels.NODE_POOL), node.poolUid());
  }

  private MachinePlan step(MachineSnapshot seen, Instant now) {
    Host host = seen.host();
    if (host.assignment().isEmpty()) {
      return removeAbandoned(seen, now);
    }
    PoolId pool = host.assignment().get().pool();
    if (host.isOff()) {
      return MachinePlan.of(removeStopped(seen, pool));
    }
    Optional<Node> node = seen.presentNode();
    if (node.isEmpty()) {
      return seen.node().isPresent() ? removeAbandoned(seen, now) : returnMachine(seen, pool, now);
    }
    return host.power() == Host.Power.OFF
        ? MachinePlan.NOTHING
        : planRunning(seen, node.get(), pool, now);
  }

  /**
   * Plans a Node whose machine must run: continues its removal if one is recorded, else keeps the
   * Node up to date.
   */
  private MachinePlan planRunning(MachineSnapshot seen, Node node, PoolId pool, Instant now) {
    Host host = seen.host();
    NodeTermination termination =
        termination(
            seen,
            node,
            pool,
            mayGoBusy(seen),
            removal ->
                new Action.OnHost(
                    new HostOperation.Stop(
                        host.id(), host.tenancy(), pool, failed(host, removal, now))),
            now);
    return node.removal()
        .map(removal -> continueRemoval(removal, seen, node, pool, termination, now))
        .orElseGet(() -> keepUpToDate(seen, node, pool, termination, now));
  }

  private NodeTermination termination(
      MachineSnapshot seen,
      Node node,
      PoolId pool,
      boolean mayGoBusy,
      Function<Removal.Draining, Action> end,
      Instant now) {
    return new NodeTermination(
        new NodeTermination.Leaving(
            node,
            seen.pods(),
            seen.controlPlane(),
            seen.evidence(),
            mayGoBusy,
            seen.organization().isPresent(),
            end),
        pool,
        now,
        settings);
  }

  private static boolean mayGoBusy(MachineSnapshot seen) {
    return seen.pool().map(holder -> !holder.spec().keepsBusyNodes()).orElse(true);
  }

  /** The delivery failure to record on a Host that caused the removal of its Node. */
  private Optional<DeliveryHistory> failed(Host host, Removal.Draining removal, Instant now) {
    return switch (removal.cause()) {
      case REGISTRATION_FAILED, MACHINE_OUTAGE ->
          Optional.of(Delivery.failed(host, removal.cause().text(), now, settings));
      case NOT_REGISTERED,
          CLIENT_REQUEST,
          AUTOSCALER,
          UNHEALTHY,
          CORDONED,
          AUTOSCALER_CANDIDATE,
          IDLE,
          INTERRUPTIBLE,
          ACTIVE,
          ORPHANED,
          NO_MACHINE ->
          Optional.empty();
    };
  }

  private MachinePlan continueRemoval(
      Removal removal,
      MachineSnapshot seen,
      Node node,
      PoolId pool,
      NodeTermination termination,
      Instant now) {
    return switch (removal) {
      case Removal.Draining draining -> termination.drain(draining);
      case Removal.Marked marked -> termination.settle(marked);
      case Removal.Requested _ ->
          isRequested(node)
              ? keepUpToDate(seen, node, pool, termination, now)
              : MachinePlan.of(unmark(node, Optional.empty(), NOT_REQUESTED));
      case Removal.PassedOver passed
          when passed.isOver(now) && passed.requested() && !isRequested(node) ->
          MachinePlan.of(
              unmark(
                  node,
                  Optional.of(new Removal.PassedOver(passed.at(), passed.until(), false)),
                  NOT_REQUESTED));
      case Removal.PassedOver passed -> {
        MachinePlan plan = keepUpToDate(seen, node, pool, termination, now);
        yield passed.isOver(now) ? plan : plan.or(Optional.of(passed.until()));
      }
    };
  }

  private static boolean isRequested(Node node) {
    return node.isRemovalRequested() || node.autoscalerMark().isPresent();
  }

  private static PlannedAction unmark(Node node, Optional<Removal.PassedOver> instead, String why) {
    return PlannedAction.quiet(
        new Action.UnmarkRemoval(node.name(), node.uid(), node.version(), false, instead), why);
  }

  private MachinePlan keepUpToDate(
      MachineSnapshot seen, Node node, PoolId pool, NodeTermination termination, Instant now) {
    if (seen.pool().isEmpty()) {
      return MachinePlan.of(
          seen.evidence().ownerGone()
              ? termination.choose(RemovalCause.ORPHANED)
              : confirmPool(pool));
    }
    Node.Activity activity = NodeActivity.of(seen, node, now);
    boolean leaving = seen.pool().get().isTerminating();
    boolean settled = leaving || seen.metadata().isPresent();
    return MachinePlan.of(
        clearRemovalReport(node)
            .or(() -> Metadata.follow(seen, node, activity.active(), kind(seen.host())))
            .or(() -> recordRequest(node, pool, now))
            .or(() -> report(seen.host(), node, pool, activity, settled)));
  }

  /** Records on the Node that a client requested its removal, so that the Event is emitted once. */
  private static Optional<PlannedAction> recordRequest(Node node, PoolId pool, Instant now) {
    if (node.removal().filter(last -> isRecorded(last, now)).isPresent()) {
      return Optional.empty();
    }
    return node.isRemovalRequested()
        ? Optional.of(recorded(node, pool, now, "A client", node.identity().createdAt().toString()))
        : node.autoscalerMark()
            .map(mark -> recorded(node, pool, now, "The Cluster Autoscaler", "taint " + mark));
  }

  /**
   * Whether the request is already recorded. No request is recorded while the Node is passed over.
   */
  private static boolean isRecorded(Removal last, Instant now) {
    return !(last instanceof Removal.PassedOver passed)
        || passed.requested()
        || !passed.isOver(now);
  }

  /**
   * @param mark what distinguishes this request from other requests for the same Node
   */
  private static PlannedAction recorded(
      Node node, PoolId pool, Instant now, String who, String mark) {
    EventDraft eventDraft =
        new EventDraft(
            EventReason.NODE_DELETION_REQUEST_SUCCESS,
            new EventDraft.Regarding(EventDraft.Kind.NODE_POOL, pool.name(), pool.uid()),
            node.uid() + "/" + mark,
            "%s asked for the removal of Node %s; it goes first when the target falls."
                .formatted(who, node.name()),
            1);
    return new PlannedAction(
        List.of(eventDraft),
        new Action.MarkRemoval(node.name(), node.uid(), node.version(), new Removal.Requested(now)),
        "its removal was requested");
  }

  /**
   * A pool that the watch does not show may still exist: only a live read shows that it does not.
   */
  private static PlannedAction confirmPool(PoolId pool) {
    return PlannedAction.quiet(
        new Action.Confirm(new Action.Subject.OfPool(pool)), "its NodePool was not observed");
  }

  /** Sets CWNodeRemoval to False on a Node that is not being removed. */
  private static Optional<PlannedAction> clearRemovalReport(Node node) {
    return node.removing()
        .map(_ ->
            PlannedAction.quiet(
                new Action.ReportRemoval(node.name(), node.uid(), Optional.empty(), true),
                "it is not being removed"));
  }

  /**
   * Returns a machine without a Node to the fleet if its pool does not exist; no pool plan does so.
   */
  private static MachinePlan returnMachine(MachineSnapshot seen, PoolId pool, Instant now) {
    Host host = seen.host();
    if (seen.pool().isPresent() || host.power() == Host.Power.OFF) {
      return MachinePlan.NOTHING;
    }
    if (!seen.evidence().ownerGone()) {
      return MachinePlan.of(confirmPool(pool));
    }
    if (host.isBooting()) {
      return MachinePlan.of(
          PlannedAction.quiet(
              new Action.OnHost(
                  new HostOperation.Cancel(host.id(), host.tenancy(), pool, Optional.empty())),
              "its pool does not exist"));
    }
    return MachinePlan.of(
            PowerOff.plannedAction(
                host,
                pool,
                seen.evidence().look(),
                Optional.empty(),
                List.of(),
                "its pool does not exist, and it has no Node",
                now))
        .or(PowerOff.lookAgain(seen.evidence().look(), now));
  }

  private Optional<Taint> kind(Host host) {
    return catalogue.find(host.machine().instanceType()).map(InstanceType::kindTaint);
  }

  /**
   * Removes a Node of an earlier tenancy, which no longer has a machine, together with the Pods
   * bound to it, which run nowhere. The Node is left unchanged while the machine may still run for
   * that tenancy, or if it belongs to a tenancy that was not observed yet.
   */
  private MachinePlan removeAbandoned(MachineSnapshot seen, Instant now) {
    Host host = seen.host();
    Optional<Node> left =
        seen.node()
            .filter(node -> node.identity().tenancy() <= host.tenancy())
            .filter(node -> seen.presentNode().isEmpty())
            .filter(node -> !host.mayRun(node.identity().tenancy()));
    if (left.isEmpty()) {
      return MachinePlan.NOTHING;
    }
    Node node = left.get();
    NodeTermination termination =
        termination(
            seen,
            node,
            poolOf(node),
            true,
            removal -> new Action.DeleteNode(node.name(), node.uid()),
            now);
    return switch (node.removal().orElse(null)) {
      case Removal.Draining draining -> termination.drain(draining);
      case Removal.Marked marked -> termination.settle(marked);
      case Removal.PassedOver _, Removal.Requested _ ->
          MachinePlan.of(termination.choose(RemovalCause.NO_MACHINE));
      case null -> MachinePlan.of(termination.choose(RemovalCause.NO_MACHINE));
    };
  }

  /** Clears the recorded delivery failures of a Host whose Node registered. */
  private static Optional<PlannedAction> clearFailures(Host host, PoolId pool) {
    return host.deliveries()
        .failure()
        .map(failure ->
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Delivered(host.id(), host.tenancy(), pool)),
                "it registered after " + Messages.count(failure.count(), "failure")));
  }

  /**
   * Registers a Node, or reports its activity.
   *
   * @param settled whether its metadata is applied; until then the Node is not registered (decision
   *     D2)
   */
  private static Optional<PlannedAction> report(
      Host host, Node node, PoolId pool, Node.Activity activity, boolean settled) {
    boolean register = !node.registered();
    if (register && !(node.ready() && settled && host.is(HostPhase.RUNNING))) {
      return Optional.empty();
    }
    if (!register && node.activity().equals(Optional.of(activity))) {
      return clearFailures(host, pool);
    }
    Action.ReportNode action =
        new Action.ReportNode(node.name(), node.uid(), register, node.activity(), activity);
    if (!register) {
      return Optional.of(PlannedAction.quiet(action, activity.active() ? "active" : "idle"));
    }
    EventDraft registered =
        new EventDraft(
            EventReason.NODE_REGISTERED,
            new EventDraft.Regarding(EventDraft.Kind.NODE, node.name(), node.uid()),
            "registered",
            "Node %s is registered in NodePool %s.".formatted(node.name(), pool.name()),
            1);
    return Optional.of(new PlannedAction(List.of(registered), action, "Ready for the first time"));
  }

  private static Optional<PlannedAction> removeStopped(MachineSnapshot seen, PoolId pool) {
    Host host = seen.host();
    Optional<Node> left = seen.node().filter(node -> node.hostUid().equals(host.id().uid()));
    return left.isPresent()
        ? NodeDeletion.of(left.get(), "its machine is stopped")
        : Optional.of(
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool)),
                "its Node does not exist"));
  }
}
