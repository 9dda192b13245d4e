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
 * What a machine has to do next: give its Node its pool's metadata, register it, report its
 * activity, or leave its pool step by step. Pure; at most one step at a time, each readable from
 * the objects alone.
 */
public final class MachinePlanner {
  private static final String NOBODY_ASKS = "nobody asks for its removal any more";

  private final InstanceCatalogue catalogue;
  private final PlanSettings settings;

  /** A planner that knows these instance types. */
  public MachinePlanner(InstanceCatalogue catalogue, PlanSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /** What the machine has to do now, and when it may have to do something else. */
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
   * A Node whose Host was deleted has no machine any more: it goes, but not from under tenant work,
   * which whoever deleted the Host may not have thought of.
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
          case Removal.PassedOver _, Removal.Requested _ -> leftover(seen, termination, now);
          case null -> leftover(seen, termination, now);
        };
    return plan.or(NodeActivity.nextChange(seen.pods(), node, now));
  }

  /** That its Host is in no watch is not enough: a live read has to say that it does not exist. */
  private static MachinePlan leftover(LeftoverNode seen, NodeTermination termination, Instant now) {
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
                "its Host was not seen"));
  }

  /** The pool that a Node says it belongs to, for what is said of it. */
  private static PoolId poolOf(Node node) {
    return new PoolId(node.metadata().label(NodeLabels.NODE_POOL), node.poolUid());
  }

  private MachinePlan step(MachineSnapshot seen, Instant now) {
    Host host = seen.host();
    if (host.assignment().isEmpty()) {
      return abandoned(seen, now);
    }
    PoolId pool = host.assignment().get().pool();
    if (host.isOff()) {
      return MachinePlan.of(leaveStopped(seen, pool));
    }
    Optional<Node> node = seen.presentNode();
    if (node.isEmpty()) {
      return seen.node().isPresent() ? abandoned(seen, now) : giveUp(seen, pool, now);
    }
    return host.power() == Host.Power.OFF ? MachinePlan.NOTHING : live(seen, node.get(), pool, now);
  }

  /** A Node whose machine is to run: it leaves if it is to, or is kept up to date. */
  private MachinePlan live(MachineSnapshot seen, Node node, PoolId pool, Instant now) {
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
        .map(removal -> leave(removal, seen, node, pool, termination, now))
        .orElseGet(() -> stay(seen, node, pool, termination, now));
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

  /** What is held against a Host whose Node goes because of it. */
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

  private MachinePlan leave(
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
          isAskedFor(node)
              ? stay(seen, node, pool, termination, now)
              : MachinePlan.of(unmark(node, Optional.empty(), NOBODY_ASKS));
      case Removal.PassedOver passed
          when passed.isOver(now) && passed.requested() && !isAskedFor(node) ->
          MachinePlan.of(
              unmark(
                  node,
                  Optional.of(new Removal.PassedOver(passed.at(), passed.until(), false)),
                  NOBODY_ASKS));
      case Removal.PassedOver passed -> {
        MachinePlan stays = stay(seen, node, pool, termination, now);
        yield passed.isOver(now) ? stays : stays.or(Optional.of(passed.until()));
      }
    };
  }

  private static boolean isAskedFor(Node node) {
    return node.isRemovalRequested() || node.autoscalerMark().isPresent();
  }

  private static PlannedAction unmark(Node node, Optional<Removal.PassedOver> instead, String why) {
    return PlannedAction.quiet(
        new Action.UnmarkRemoval(node.name(), node.uid(), node.version(), false, instead), why);
  }

  private MachinePlan stay(
      MachineSnapshot seen, Node node, PoolId pool, NodeTermination termination, Instant now) {
    if (seen.pool().isEmpty()) {
      return MachinePlan.of(
          seen.evidence().ownerGone()
              ? termination.choose(RemovalCause.ORPHANED)
              : poolUnseen(pool));
    }
    Node.Activity activity = NodeActivity.of(seen, node, now);
    boolean leaving = seen.pool().get().isTerminating();
    boolean settled = leaving || seen.metadata().isPresent();
    return MachinePlan.of(
        withdrawn(node)
            .or(() -> Metadata.follow(seen, node, activity.active(), kind(seen.host())))
            .or(() -> noticeRequest(node, pool, now))
            .or(() -> report(seen.host(), node, pool, activity, settled)));
  }

  /** That a client asks for a Node's removal is noted on the Node, so that it is told once. */
  private static Optional<PlannedAction> noticeRequest(Node node, PoolId pool, Instant now) {
    if (node.removal().filter(last -> isNoticed(last, now)).isPresent()) {
      return Optional.empty();
    }
    return node.isRemovalRequested()
        ? Optional.of(noticed(node, pool, now, "A client", node.identity().createdAt().toString()))
        : node.autoscalerMark()
            .map(mark -> noticed(node, pool, now, "The Cluster Autoscaler", "taint " + mark));
  }

  /** A wish is not noticed again, nor at all while the Node is passed over. */
  private static boolean isNoticed(Removal last, Instant now) {
    return !(last instanceof Removal.PassedOver passed)
        || passed.requested()
        || !passed.isOver(now);
  }

  /**
   * @param mark what tells this request from another one for the same Node
   */
  private static PlannedAction noticed(
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
        "its removal was asked for");
  }

  /** That its pool is in no watch is not enough: a live read has to say that it does not exist. */
  private static PlannedAction poolUnseen(PoolId pool) {
    return PlannedAction.quiet(
        new Action.Confirm(new Action.Subject.OfPool(pool)), "its NodePool was not seen");
  }

  /** A Node that stays does not say that it is to go. */
  private static Optional<PlannedAction> withdrawn(Node node) {
    return node.removing()
        .map(_ ->
            PlannedAction.quiet(
                new Action.ReportRemoval(node.name(), node.uid(), Optional.empty(), true),
                "it stays"));
  }

  /** A machine without a Node whose pool is gone is given back, and nobody else does it. */
  private static MachinePlan giveUp(MachineSnapshot seen, PoolId pool, Instant now) {
    Host host = seen.host();
    if (seen.pool().isPresent() || host.power() == Host.Power.OFF) {
      return MachinePlan.NOTHING;
    }
    if (!seen.evidence().ownerGone()) {
      return MachinePlan.of(poolUnseen(pool));
    }
    if (host.isBooting()) {
      return MachinePlan.of(
          PlannedAction.quiet(
              new Action.OnHost(
                  new HostOperation.Cancel(host.id(), host.tenancy(), pool, Optional.empty())),
              "its pool is gone"));
    }
    return MachinePlan.of(
            PowerOff.plannedAction(
                host,
                pool,
                seen.evidence().look(),
                Optional.empty(),
                List.of(),
                "its pool is gone, and it has no Node",
                now))
        .or(PowerOff.lookAgain(seen.evidence().look(), now));
  }

  private Optional<Taint> kind(Host host) {
    return catalogue.find(host.machine().instanceType()).map(InstanceType::kindTaint);
  }

  /**
   * A Node of an earlier tenancy, whose machine no longer stands behind it: it goes, and with it
   * what is bound to it and runs nowhere. While the machine may still run for that tenancy, or the
   * Node is of one that is not seen yet, it is left alone.
   */
  private MachinePlan abandoned(MachineSnapshot seen, Instant now) {
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

  /** A machine that was delivered after all starts with a clean record. */
  private static Optional<PlannedAction> forgetFailures(Host host, PoolId pool) {
    return host.deliveries()
        .failure()
        .map(failure ->
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Delivered(host.id(), host.tenancy(), pool)),
                "it registered after " + Messages.count(failure.count(), "failure")));
  }

  /**
   * Registers or reports a Node.
   *
   * @param settled whether its metadata is what it is to be; before, it is not registered (decision
   *     D2)
   */
  private static Optional<PlannedAction> report(
      Host host, Node node, PoolId pool, Node.Activity activity, boolean settled) {
    boolean register = !node.registered();
    if (register && !(node.ready() && settled && host.is(HostPhase.RUNNING))) {
      return Optional.empty();
    }
    if (!register && node.activity().equals(Optional.of(activity))) {
      return forgetFailures(host, pool);
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

  private static Optional<PlannedAction> leaveStopped(MachineSnapshot seen, PoolId pool) {
    Host host = seen.host();
    Optional<Node> left = seen.node().filter(node -> node.hostUid().equals(host.id().uid()));
    return left.isPresent()
        ? NodeDeletion.of(left.get(), "its machine is stopped")
        : Optional.of(
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool)),
                "its Node is gone"));
  }
}
