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
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.LeftoverNode;
import io.nodepool.model.node.LiveLook;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.BootFailures;
import io.nodepool.plan.configuration.Staging;
import io.nodepool.plan.disruption.NodeDemands;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.EventReason;
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
    DisruptedNode subject =
        new DisruptedNode(
            node,
            poolOf(node),
            seen.pods(),
            seen.controlPlane(),
            seen.evidence(),
            true,
            _ -> new Action.DeleteNode(node.name(), node.uid()));
    NodeDisruption disruption =
        new NodeDisruption(
            subject, NodeDemands.withoutMachine(false, now, settings), now, settings);
    MachinePlan plan =
        switch (node.disruption().orElse(null)) {
          case Disruption.Committed committed when committed.isLeaving() ->
              new NodeTermination(subject, disruption.commitment(), now, settings).drain(committed);
          case Disruption.Committed reboot ->
              seen.evidence().ownerGone()
                  ? disruption.leaveWithoutMachine(reboot)
                  : MachinePlan.of(confirmHost(node));
          case Disruption.Admitted admitted -> disruption.settle(admitted);
          case Disruption.PassedOver passed when !passed.isOver(now) ->
              MachinePlan.waiting(passed.until());
          case Disruption.PassedOver _, Disruption.Requested _ ->
              planLeftover(seen, disruption, now);
          case null -> planLeftover(seen, disruption, now);
        };
    return plan.or(NodeActivity.nextChange(seen.pods(), node, now));
  }

  /**
   * A Host that the watch does not show may still exist: only a live read shows that it does not.
   */
  private static MachinePlan planLeftover(
      LeftoverNode seen, NodeDisruption disruption, Instant now) {
    Node node = seen.node();
    if (NodeActivity.of(seen, now).active()) {
      return MachinePlan.NOTHING;
    }
    return seen.evidence().ownerGone()
        ? MachinePlan.of(disruption.begin(DisruptionCause.NO_MACHINE))
        : MachinePlan.of(confirmHost(node));
  }

  private static PlannedAction confirmHost(Node node) {
    return PlannedAction.quiet(
        new Action.Confirm(new Action.Subject.OfHost(new HostId(node.name(), node.hostUid()))),
        "its Host was not observed");
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
      return MachinePlan.of(removeStopped(seen, pool, now));
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
   * Plans a Node whose machine must run: continues its disruption if one is recorded, begins one
   * that its own objects demand, or keeps the Node up to date.
   */
  private MachinePlan planRunning(MachineSnapshot seen, Node node, PoolId pool, Instant now) {
    Host host = seen.host();
    DisruptedNode subject =
        subject(
            seen,
            node,
            pool,
            committed ->
                new Action.OnHost(
                    new HostOperation.Stop(
                        host.id(), host.tenancy(), pool, failed(seen, committed, now))));
    NodeDisruption disruption =
        new NodeDisruption(subject, NodeDemands.of(seen, now, settings), now, settings);
    return switch (node.disruption().orElse(null)) {
      case Disruption.Committed committed when committed.isLeaving() ->
          new NodeTermination(subject, disruption.commitment(), now, settings).drain(committed);
      case Disruption.Committed reboot ->
          orFollow(
              new NodeReboot(subject, seen, disruption, now, settings).next(reboot),
              seen,
              node,
              pool,
              now);
      case Disruption.Admitted admitted ->
          orFollow(disruption.settle(admitted), seen, node, pool, now);
      case Disruption.Requested requested -> idle(seen, node, pool, disruption, requested, now);
      case Disruption.PassedOver passed -> idle(seen, node, pool, disruption, passed, now);
      case null -> keepUpToDate(seen, node, pool, disruption, now);
    };
  }

  /** While nothing else is due, metadata and reports go on following. */
  private MachinePlan orFollow(
      MachinePlan plan, MachineSnapshot seen, Node node, PoolId pool, Instant now) {
    return plan.plannedActions().isEmpty()
        ? MachinePlan.of(follow(seen, node, pool, now)).or(plan.wakeup())
        : plan;
  }

  private static DisruptedNode subject(
      MachineSnapshot seen, Node node, PoolId pool, Function<Disruption.Committed, Action> end) {
    return new DisruptedNode(
        node,
        pool,
        seen.pods(),
        seen.controlPlane(),
        seen.evidence(),
        seen.organization().isPresent(),
        end);
  }

  /** The delivery failure to record on a Host that caused the removal of its Node. */
  private Optional<DeliveryHistory> failed(
      MachineSnapshot seen, Disruption.Committed removal, Instant now) {
    Host host = seen.host();
    boolean toBlame =
        seen.pool()
            .map(pool -> BootFailures.isHostToBlame(pool.status().configuration(), host))
            .orElse(true);
    return removal.causes().stream()
        .map(Disruption.Cause::what)
        .filter(MachinePlanner::isFailure)
        .findFirst()
        .map(cause ->
            cause == DisruptionCause.REBOOT_FAILED
                ? Delivery.failedReboot(host, now, settings)
                : Delivery.failed(host, cause.text(), toBlame, now, settings));
  }

  private static boolean isFailure(DisruptionCause cause) {
    return switch (cause) {
      case REGISTRATION_FAILED, MACHINE_OUTAGE, REBOOT_FAILED -> true;
      case SCALE_DOWN,
          POOL_DELETION,
          ORPHANED,
          NO_MACHINE,
          PREEMPTION,
          REBOOT,
          RECONFIGURATION,
          ROLLOUT,
          VERIFICATION ->
          false;
    };
  }

  /**
   * Plans a Node on which a request or a withdrawn disruption is recorded, and none is under way.
   */
  private MachinePlan idle(
      MachineSnapshot seen,
      Node node,
      PoolId pool,
      NodeDisruption disruption,
      Disruption last,
      Instant now) {
    boolean waits = last instanceof Disruption.PassedOver passed && !passed.isOver(now);
    if (last.isRequested() && !waits && !RemovalRequest.isMade(node)) {
      return MachinePlan.of(RemovalRequest.drop(node, pool, last));
    }
    MachinePlan plan = keepUpToDate(seen, node, pool, disruption, now);
    return last instanceof Disruption.PassedOver passed && waits
        ? plan.or(Optional.of(passed.until()))
        : plan;
  }

  private MachinePlan keepUpToDate(
      MachineSnapshot seen, Node node, PoolId pool, NodeDisruption disruption, Instant now) {
    Optional<PlannedAction> begun =
        LifecycleReport.ofRequest(seen, node, now, settings).or(disruption::begin);
    if (begun.isPresent()) {
      return MachinePlan.of(begun);
    }
    if (seen.pool().isEmpty()) {
      return seen.evidence().ownerGone() ? MachinePlan.NOTHING : MachinePlan.of(confirmPool(pool));
    }
    return MachinePlan.of(
            clearRemovalReport(node)
                .or(() -> followMetadata(seen, node, now))
                .or(() -> stage(seen, node))
                .or(() -> RemovalRequest.record(node, pool, now))
                .or(() -> report(seen, node, pool, now))
                .or(() -> LifecycleReport.of(seen, node, now, settings)))
        .or(LifecycleReport.wakeup(node, now, settings));
  }

  /** Keeps the metadata and the reports of a Node up to date whose disruption is not committed. */
  private Optional<PlannedAction> follow(
      MachineSnapshot seen, Node node, PoolId pool, Instant now) {
    if (seen.pool().isPresent()) {
      return followMetadata(seen, node, now)
          .or(() -> node.isCommitted() ? Optional.empty() : stage(seen, node))
          .or(() -> report(seen, node, pool, now))
          .or(() -> LifecycleReport.of(seen, node, now, settings));
    }
    // A preempted Node may be an orphan too, and leaves then for both; so may a rebooting one.
    return node.disruption()
        .flatMap(Disruption::active)
        .filter(active -> !active.leaves() || active.leavesOnlyFor(DisruptionCause.PREEMPTION))
        .filter(_ -> !seen.evidence().ownerGone())
        .map(_ -> confirmPool(pool));
  }

  private Optional<PlannedAction> followMetadata(MachineSnapshot seen, Node node, Instant now) {
    return Metadata.follow(
        seen, node, NodeActivity.of(seen, node, now).active(), kind(seen.host()));
  }

  /** Stages what a registered Node boots next, unless its machine is about to boot. */
  private static Optional<PlannedAction> stage(MachineSnapshot seen, Node node) {
    return seen.pool()
        .filter(_ -> node.registered() && seen.host().is(HostPhase.RUNNING))
        .flatMap(pool -> Staging.atRest(seen.host(), node, pool));
  }

  private static Optional<PlannedAction> report(
      MachineSnapshot seen, Node node, PoolId pool, Instant now) {
    boolean leaving = seen.pool().orElseThrow().isTerminating();
    boolean settled = leaving || seen.metadata().isPresent();
    return report(seen.host(), node, pool, NodeActivity.of(seen, node, now), settled);
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
    if (host.power() == Host.Power.OFF) {
      return MachinePlan.NOTHING;
    }
    if (seen.pool().isPresent()) {
      // One that has not booted is cancelled by its pool.
      return host.preemption().isPresent() && !host.isBooting()
          ? powerOff(seen, pool, "it is preempted before it joined as a Node", now)
          : MachinePlan.NOTHING;
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
    return powerOff(seen, pool, "its pool does not exist, and it has no Node", now);
  }

  private static MachinePlan powerOff(MachineSnapshot seen, PoolId pool, String why, Instant now) {
    Optional<LiveLook> look = seen.evidence().look();
    return MachinePlan.of(
            PowerOff.plannedAction(seen.host(), pool, look, Optional.empty(), List.of(), why, now))
        .or(PowerOff.nextLook(look, now));
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
    DisruptedNode subject =
        subject(seen, node, poolOf(node), _ -> new Action.DeleteNode(node.name(), node.uid()));
    NodeDisruption disruption =
        new NodeDisruption(subject, NodeDemands.withoutMachine(true, now, settings), now, settings);
    return switch (node.disruption().orElse(null)) {
      case Disruption.Committed committed when committed.isLeaving() ->
          new NodeTermination(subject, disruption.commitment(), now, settings).drain(committed);
      case Disruption.Committed reboot -> disruption.leaveWithoutMachine(reboot);
      case Disruption.Admitted admitted -> disruption.settle(admitted);
      case Disruption.PassedOver _, Disruption.Requested _ ->
          MachinePlan.of(disruption.begin(DisruptionCause.NO_MACHINE));
      case null -> MachinePlan.of(disruption.begin(DisruptionCause.NO_MACHINE));
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
            EventDraft.Regarding.of(node),
            "registered",
            "Node %s is registered in NodePool %s.".formatted(node.name(), pool.name()),
            1);
    return Optional.of(new PlannedAction(List.of(registered), action, "Ready for the first time"));
  }

  private static Optional<PlannedAction> removeStopped(
      MachineSnapshot seen, PoolId pool, Instant now) {
    Host host = seen.host();
    Optional<Node> left = seen.node().filter(node -> node.hostUid().equals(host.id().uid()));
    return left.isPresent()
        ? NodeDeletion.ofStopped(left.get(), pool, seen, now)
        : Optional.of(
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool)),
                "its Node does not exist"));
  }
}
