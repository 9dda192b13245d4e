package io.nodepool.plan.node;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.LiveLook;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.BootFailures;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.NoMachineCause;
import io.nodepool.plan.disruption.cause.NodeDemands;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

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
            _ -> NodeDeletion.delete(node, seen.pods(), Optional.empty()));
    NodeDisruption disruption =
        new NodeDisruption(
            subject,
            new NodeDemands(CauseFacts.withoutMachine(false, now, settings)),
            now,
            settings);
    MachinePlan plan =
        switch (node.disruption().orElse(null)) {
          case Disruption.Committed committed when committed.isLeaving() ->
              new NodeTermination(subject, disruption.commitment(), now, settings).drain(committed);
          case Disruption.Committed reboot ->
              seen.evidence().ownerGone()
                  ? disruption.leaveWithoutMachine(reboot)
                  : MachinePlan.of(confirmHost(node));
          case Disruption.Admitted admitted ->
              seen.evidence().ownerGone() || !isOfPool(admitted)
                  ? disruption.settle(admitted)
                  : MachinePlan.of(confirmHost(node));
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
        ? MachinePlan.of(disruption.begin(new NoMachineCause()))
        : MachinePlan.of(confirmHost(node));
  }

  private static PlannedAction confirmHost(Node node) {
    return PlannedAction.quiet(
        new Action.Confirm(new Action.Subject.OfHost(new HostId(node.name(), node.hostUid()))),
        "its Host was not observed");
  }

  /** Whether a pool demands it, of a member that it may still hold. */
  private static boolean isOfPool(Disruption.Admitted admitted) {
    return admitted.causes().stream().anyMatch(cause -> cause.rule().isOfPool());
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
        ? MachinePlan.of(NodeDeletion.whileStopping(node.get(), seen, now, settings))
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
                PlannedAction.quiet(
                    new Action.OnHost(
                        new HostOperation.Stop(
                            host.id(), host.tenancy(), pool, failed(seen, committed, now))),
                    committed.text()));
    NodeDisruption disruption =
        new NodeDisruption(
            subject, new NodeDemands(CauseFacts.of(seen, now, settings)), now, settings);
    NodeUpkeep upkeep = new NodeUpkeep(seen, node, pool, kind(host), now, settings);
    MachinePlan plan =
        switch (node.disruption().orElse(null)) {
          case Disruption.Committed committed when committed.isLeaving() ->
              new NodeTermination(subject, disruption.commitment(), now, settings).drain(committed);
          case Disruption.Committed reboot ->
              upkeep.unless(new NodeReboot(subject, seen, disruption, now, settings).next(reboot));
          case Disruption.Admitted admitted -> upkeep.unless(disruption.settle(admitted));
          case Disruption.Requested requested ->
              idle(upkeep, node, pool, disruption, requested, now);
          case Disruption.PassedOver passed -> idle(upkeep, node, pool, disruption, passed, now);
          case null -> upkeep.begin(disruption);
        };
    return plan.or(upkeep.consent().wakeup());
  }

  private static DisruptedNode subject(
      MachineSnapshot seen,
      Node node,
      PoolId pool,
      Function<Disruption.Committed, PlannedAction> end) {
    return new DisruptedNode(
        node,
        pool,
        seen.pods(),
        seen.controlPlane(),
        seen.evidence(),
        seen.organization().isPresent(),
        end);
  }

  private Optional<Taint> kind(Host host) {
    return catalogue.find(host.machine().instanceType()).map(InstanceType::kindTaint);
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
        .flatMap(cause ->
            switch (KnownCause.of(cause).blame()) {
              case NONE -> Stream.<DeliveryHistory>of();
              case REBOOT -> Stream.of(Delivery.failedReboot(host, now, settings));
              case DELIVERY -> Stream.of(failed(seen, cause, toBlame, false, now));
              case OUTAGE -> Stream.of(failed(seen, cause, toBlame, true, now));
            })
        .findFirst();
  }

  private DeliveryHistory failed(
      MachineSnapshot seen, Disruption.Cause cause, boolean toBlame, boolean ran, Instant now) {
    return Delivery.failed(
        seen.host(),
        cause.text(),
        toBlame,
        BootFailures.suspect(seen.host(), seen.presentNode(), ran),
        now,
        settings);
  }

  /**
   * Plans a Node on which a request or a withdrawn disruption is recorded, and none is under way.
   */
  private static MachinePlan idle(
      NodeUpkeep upkeep,
      Node node,
      PoolId pool,
      NodeDisruption disruption,
      Disruption last,
      Instant now) {
    boolean waits = last instanceof Disruption.PassedOver passed && !passed.isOver(now);
    if (last.isRequested() && !waits && !RemovalRequest.isMade(node)) {
      return MachinePlan.of(RemovalRequest.drop(node, pool, last));
    }
    MachinePlan plan = upkeep.begin(disruption);
    return last instanceof Disruption.PassedOver passed && waits
        ? plan.or(Optional.of(passed.until()))
        : plan;
  }

  /**
   * A pool that the watch does not show may still exist: only a live read shows that it does not.
   */
  static PlannedAction confirmPool(PoolId pool) {
    return PlannedAction.quiet(
        new Action.Confirm(new Action.Subject.OfPool(pool)), "its NodePool was not observed");
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
        subject(
            seen,
            node,
            poolOf(node),
            _ -> NodeDeletion.delete(node, seen.pods(), Optional.empty()));
    NodeDisruption disruption =
        new NodeDisruption(
            subject,
            new NodeDemands(CauseFacts.withoutMachine(true, now, settings)),
            now,
            settings);
    return switch (node.disruption().orElse(null)) {
      case Disruption.Committed committed when committed.isLeaving() ->
          new NodeTermination(subject, disruption.commitment(), now, settings).drain(committed);
      case Disruption.Committed reboot -> disruption.leaveWithoutMachine(reboot);
      case Disruption.Admitted admitted -> disruption.settle(admitted);
      case Disruption.PassedOver _, Disruption.Requested _ ->
          MachinePlan.of(disruption.begin(new NoMachineCause()));
      case null -> MachinePlan.of(disruption.begin(new NoMachineCause()));
    };
  }

  private Optional<PlannedAction> removeStopped(MachineSnapshot seen, PoolId pool, Instant now) {
    Host host = seen.host();
    Optional<Node> left = seen.node().filter(node -> node.hostUid().equals(host.id().uid()));
    return left.isPresent()
        ? NodeDeletion.ofStopped(left.get(), pool, seen, now, settings)
        : Optional.of(
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool)),
                "its Node does not exist"));
  }
}
