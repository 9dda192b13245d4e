package io.nodepool.plan.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
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
    return step(seen, now).or(nextChange).or(seen.host().staleAt(now));
  }

  /**
   * Plans a Node whose Host was deleted: the Node has no machine and is removed. Tenant work keeps
   * it, because the client that deleted the Host may not have considered that work.
   */
  public MachinePlan plan(LeftoverNode seen, Instant now) {
    return next(DisruptedNode.of(seen, now, settings), Optional.empty())
        .or(NodeActivity.nextChange(seen.bound().pods(), seen.node(), now));
  }

  /**
   * The next step of a Node: one case for each stage of its disruption, which differs if the Node
   * has no machine any more.
   *
   * @param upkeep the upkeep of a Node with a machine that must run; empty for any other Node
   */
  private static MachinePlan next(DisruptedNode subject, Optional<NodeUpkeep> upkeep) {
    NodeDisruption disruption = new NodeDisruption(subject);
    return switch (subject.node().activeDisruption().orElse(null)) {
      case Disruption.Committed leaving when leaving.isLeaving() ->
          new NodeTermination(subject, disruption, leaving).drain();
      case Disruption.Committed reboot ->
          upkeep
              .map(each ->
                  each.unless(new NodeReboot(subject, each.seen(), disruption, reboot).next()))
              .orElseGet(() ->
                  subject.isCertain()
                      ? disruption.next(reboot).plan()
                      : confirmHost(subject.node()));
      case Disruption.Admitted admitted ->
          upkeep
              .map(each -> each.unless(disruption.next(admitted).plan()))
              .orElseGet(() ->
                  // A pool's demands are about a member that the pool may still hold.
                  subject.isCertain() || !isOfPool(admitted)
                      ? disruption.next(admitted).plan()
                      : confirmHost(subject.node()));
      case null ->
          upkeep
              .map(each -> each.admit(disruption).or(waitsUntil(subject)))
              .orElseGet(() -> admit(subject, disruption));
    };
  }

  private static Optional<Instant> waitsUntil(DisruptedNode subject) {
    return subject.node().passedOverUntil(subject.now());
  }

  /** The next step of a Node without a machine and without a disruption: one begins. */
  private static MachinePlan admit(DisruptedNode subject, NodeDisruption disruption) {
    Optional<Instant> waits = waitsUntil(subject);
    boolean workKeepsIt = !subject.demands().facts().mayInterrupt();
    if (workKeepsIt && (waits.isPresent() || subject.isBusy())) {
      return MachinePlan.NOTHING.or(waits);
    }
    return subject.isCertain() ? MachinePlan.of(disruption.admit()) : confirmHost(subject.node());
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
    if (host.isOff(now)) {
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
    DisruptedNode subject = DisruptedNode.running(seen, node.get(), pool, now, settings);
    return upkeep.announced(next(subject, Optional.of(upkeep))).or(upkeep.consent().wakeup());
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
      // The pool cancels a machine that has not booted.
      return host.preemption().isPresent() && !host.isBooting()
          ? powerOff(seen, pool, "it is preempted before it joined as a Node", now)
          : MachinePlan.NOTHING;
    }
    if (!seen.evidence().ownerGone()) {
      return MachinePlan.of(NodeUpkeep.confirmPool(pool));
    }
    if (host.isBooting()) {
      return MachinePlan.of(
          PlannedAction.quiet(
              new Action.OnHost(HostOperation.Cancel.of(host, pool, Optional.empty())),
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
    return left.map(
            node -> next(DisruptedNode.abandoned(seen, node, now, settings), Optional.empty()))
        .orElse(MachinePlan.NOTHING);
  }

  /** Whether the machine may run for this tenancy, by its fleet's last report. */
  private static boolean mayRun(Host host, int tenancy) {
    return host.report().tenancy() == tenancy
        && switch (host.report().phase()) {
          case BOOTING, RUNNING, FAILED -> true;
          case FREE, STOPPED, CLEANING -> false;
        };
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
