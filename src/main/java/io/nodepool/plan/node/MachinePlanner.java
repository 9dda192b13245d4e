package io.nodepool.plan.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.LiveRead;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.node.DisruptedNode.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Plans the next step of a machine: apply its pool's metadata to its Node, register the Node,
 * report its activity, or remove it from its pool step by step. Pure. A plan has at most one step,
 * and each step follows from the objects alone.
 */
public record MachinePlanner(InstanceCatalogue catalogue, PlanSettings settings) {

  /** The plan of the machine at this instant, and when to plan again. */
  public MachinePlan plan(MachineSnapshot seen, Instant now) {
    Optional<Node> ofAnotherHost =
        seen.node().filter(node -> !node.hostUid().equals(seen.host().id().uid()));
    if (ofAnotherHost.isPresent()) {
      return plan(new LeftoverNode(ofAnotherHost.get(), seen.bound(), seen.evidence()), now);
    }
    Optional<Instant> nextChange =
        seen.presentNode().flatMap(node -> NodeActivity.nextChange(seen.pods(), node, now));
    return step(seen, now).or(nextChange);
  }

  /**
   * Plans a Node whose Host was deleted: the Node has no machine and is removed. Tenant work keeps
   * it, because the client that deleted the Host may not have considered that work.
   */
  public MachinePlan plan(LeftoverNode seen, Instant now) {
    return next(DisruptedNode.of(seen, now, settings))
        .or(NodeActivity.nextChange(seen.bound().pods(), seen.node(), now));
  }

  /**
   * The next step of a Node: a row for each stage of its disruption, with what differs by the kind
   * of the Node.
   */
  private static MachinePlan next(DisruptedNode subject) {
    NodeDisruption disruption = new NodeDisruption(subject);
    return switch (subject.node().disruption().orElse(null)) {
      case Disruption.Committed leaving when leaving.isLeaving() ->
          new NodeTermination(subject, disruption).drain(leaving);
      case Disruption.Committed reboot ->
          switch (subject.kind()) {
            case Kind.Running(NodeUpkeep upkeep) ->
                upkeep.unless(new NodeReboot(subject, upkeep.seen(), disruption).next(reboot));
            case Kind.Leftover _, Kind.Abandoned _ ->
                subject.isCertain()
                    ? subject.record().plan(disruption.next(reboot))
                    : confirmHost(subject.node());
          };
      case Disruption.Admitted admitted ->
          switch (subject.kind()) {
            case Kind.Running(NodeUpkeep upkeep) ->
                upkeep.unless(subject.record().plan(disruption.next(admitted)));
            case Kind.Leftover _, Kind.Abandoned _ ->
                // What a pool demands is of a member that it may still hold.
                subject.isCertain() || !isOfPool(admitted)
                    ? subject.record().plan(disruption.next(admitted))
                    : confirmHost(subject.node());
          };
      case Disruption.PassedOver _, Disruption.Requested _ -> undisrupted(subject, disruption);
      case null -> undisrupted(subject, disruption);
    };
  }

  /** The next step of a Node without a disruption: one begins, or it is kept up to date. */
  private static MachinePlan undisrupted(DisruptedNode subject, NodeDisruption disruption) {
    Optional<Instant> waits = subject.node().passedOverUntil(subject.now());
    return switch (subject.kind()) {
      case Kind.Running(NodeUpkeep upkeep) -> upkeep.admit(disruption).or(waits);
      case Kind.Leftover _ when waits.isPresent() -> MachinePlan.waiting(waits.get());
      case Kind.Leftover _ when subject.isBusy() -> MachinePlan.NOTHING;
      case Kind.Leftover _, Kind.Abandoned _ ->
          subject.isCertain() ? MachinePlan.of(disruption.admit()) : confirmHost(subject.node());
    };
  }

  /**
   * A Host that the watch does not show may still exist: only a live read shows that it does not.
   */
  private static MachinePlan confirmHost(Node node) {
    return MachinePlan.of(
        PlannedAction.quiet(
            new Action.Confirm(new Action.Subject.OfHost(new HostId(node.name(), node.hostUid()))),
            "its Host was not observed"));
  }

  private static boolean isOfPool(Disruption.Admitted admitted) {
    return admitted.causes().stream().anyMatch(cause -> cause.rule().isOfPool());
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
    if (host.power() == Host.Power.OFF) {
      return MachinePlan.of(NodeDeletion.whileStopping(node.get(), seen, now, settings));
    }
    Optional<Taint> kind =
        catalogue.find(host.machine().instanceType()).map(InstanceType::kindTaint);
    NodeUpkeep upkeep = new NodeUpkeep(seen, node.get(), pool, kind, now, settings);
    return upkeep.announced(next(DisruptedNode.running(upkeep))).or(upkeep.consent().wakeup());
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
    Optional<LiveRead> liveRead = seen.evidence().liveRead();
    return MachinePlan.of(
            PowerOff.plannedAction(
                seen.host(), pool, liveRead, Optional.empty(), List.of(), why, now))
        .or(PowerOff.nextRead(liveRead, now));
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
            .filter(node -> !mayRun(host, node.identity().tenancy()));
    return left.map(node -> next(DisruptedNode.abandoned(seen, node, now, settings)))
        .orElse(MachinePlan.NOTHING);
  }

  /** Whether the fleet reported last that the machine runs for this tenancy, or failed in it. */
  private static boolean mayRun(Host host, int tenancy) {
    return host.report().tenancy() == tenancy
        && (host.report().phase() == HostPhase.RUNNING
            || host.report().phase() == HostPhase.FAILED);
  }

  private Optional<PlannedAction> removeStopped(MachineSnapshot seen, PoolId pool, Instant now) {
    Host host = seen.host();
    return seen.node().isPresent()
        ? NodeDeletion.ofStopped(seen.node().get(), pool, seen, now, settings)
        : Optional.of(
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool)),
                "its Node does not exist"));
  }
}
