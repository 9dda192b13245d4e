package io.nodepool.plan;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.model.LeftoverNode;
import io.nodepool.model.MachineSnapshot;
import io.nodepool.model.Node;
import io.nodepool.model.Removal;
import io.nodepool.vocabulary.EventReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a machine has to do next: give its Node its pool's metadata, register it, report its
 * activity, or leave its pool step by step. Pure; at most one step at a time, each readable from
 * the objects alone.
 */
public final class MachinePlanner {
  private final InstanceCatalogue catalogue;
  private final Rules rules;

  /** A planner that knows these instance types. */
  public MachinePlanner(InstanceCatalogue catalogue, Rules rules) {
    this.catalogue = catalogue;
    this.rules = rules;
  }

  /** What the machine has to do now, and when it may have to do something else. */
  public MachinePlan plan(MachineSnapshot seen, Instant now) {
    Optional<Node> ofAnotherHost =
        seen.node().filter(node -> !node.hostUid().equals(seen.host().id().uid()));
    if (ofAnotherHost.isPresent()) {
      return plan(new LeftoverNode(ofAnotherHost.get(), seen.pods(), seen.controlPlane()), now);
    }
    Optional<Instant> nextChange =
        seen.presentNode().flatMap(node -> Activity.nextChange(seen, node, now));
    return step(seen, now).or(nextChange);
  }

  /**
   * A Node whose Host was deleted has no machine any more: it goes, but not from under tenant work,
   * which whoever deleted the Host may not have thought of.
   */
  public MachinePlan plan(LeftoverNode seen, Instant now) {
    Node node = seen.node();
    Optional<Step> step =
        Activity.of(seen, now).active()
            ? Optional.empty()
            : Optional.of(
                Step.quiet(
                    new Action.DeleteNode(node.name(), node.uid()), "its Host does not exist"));
    return MachinePlan.of(step).or(Activity.nextChange(seen.pods(), node, now));
  }

  private MachinePlan step(MachineSnapshot seen, Instant now) {
    Host host = seen.host();
    if (host.assignment().isEmpty()) {
      return MachinePlan.of(abandonedNode(seen));
    }
    PoolId pool = host.assignment().get().pool();
    if (host.is(HostPhase.STOPPED)) {
      return MachinePlan.of(leaveStopped(seen, pool));
    }
    Optional<Node> node = seen.presentNode();
    if (node.isEmpty() || !host.isUp()) {
      return MachinePlan.of(abandonedNode(seen).or(() -> giveUp(seen, pool)));
    }
    return host.power() == Host.Power.OFF ? MachinePlan.NOTHING : live(seen, node.get(), pool, now);
  }

  /** A Node whose machine runs: it leaves if it is to, or is kept up to date. */
  private MachinePlan live(MachineSnapshot seen, Node node, PoolId pool, Instant now) {
    Departure departure = new Departure(seen, node, pool, now, rules);
    return node.removal()
        .map(removal -> leave(removal, seen, node, pool, departure, now))
        .orElseGet(() -> stay(seen, node, pool, departure, now));
  }

  private MachinePlan leave(
      Removal removal,
      MachineSnapshot seen,
      Node node,
      PoolId pool,
      Departure departure,
      Instant now) {
    return switch (removal) {
      case Removal.Draining draining -> departure.drain(draining);
      case Removal.Marked marked -> departure.settle(marked);
      case Removal.Requested _ ->
          node.isRemovalRequested() || node.autoscalerMark().isPresent()
              ? stay(seen, node, pool, departure, now)
              : MachinePlan.of(
                  Step.quiet(
                      new Action.UnmarkRemoval(node.name(), node.uid(), node.version(), false),
                      "nobody asks for its removal any more"));
    };
  }

  private MachinePlan stay(
      MachineSnapshot seen, Node node, PoolId pool, Departure departure, Instant now) {
    if (seen.pool().isEmpty()) {
      return MachinePlan.of(departure.choose());
    }
    Node.Activity activity = Activity.of(seen, node, now);
    boolean leaving = seen.pool().get().isLeaving();
    boolean settled = leaving || seen.metadata().isPresent();
    return MachinePlan.of(
        Metadata.follow(seen, node, activity.active(), kind(seen.host()))
            .or(() -> noticeRequest(node, pool, now))
            .or(() -> report(seen.host(), node, pool, activity, settled)));
  }

  /** That a client asks for a Node's removal is noted on the Node, so that it is told once. */
  private static Optional<Step> noticeRequest(Node node, PoolId pool, Instant now) {
    if (node.removal().isPresent()) {
      return Optional.empty();
    }
    return node.isRemovalRequested()
        ? Optional.of(noticed(node, pool, now, "A client", node.createdAt().toString()))
        : node.autoscalerMark()
            .map(mark -> noticed(node, pool, now, "The Cluster Autoscaler", "taint " + mark));
  }

  /**
   * @param mark what tells this request from another one for the same Node
   */
  private static Step noticed(Node node, PoolId pool, Instant now, String who, String mark) {
    Notice notice =
        new Notice(
            EventReason.NODE_DELETION_REQUEST_SUCCESS,
            new Notice.Regarding(Notice.Kind.NODE_POOL, pool.name(), pool.uid()),
            node.uid() + "/" + mark,
            "%s asked for the removal of Node %s; it goes first when the target falls."
                .formatted(who, node.name()),
            1);
    return new Step(
        List.of(notice),
        new Action.MarkRemoval(node.name(), node.uid(), node.version(), new Removal.Requested(now)),
        "its removal was asked for");
  }

  /** A machine whose pool is gone is given back, and nobody else does it. */
  private static Optional<Step> giveUp(MachineSnapshot seen, PoolId pool) {
    Host host = seen.host();
    if (seen.pool().isPresent() || host.power() == Host.Power.OFF) {
      return Optional.empty();
    }
    if (host.isBooting()) {
      return Optional.of(
          Step.quiet(
              new Action.OnHost(
                  new HostOperation.Cancel(host.id(), host.tenancy(), pool, Optional.empty())),
              "its pool is gone"));
    }
    return host.isUp()
        ? Optional.of(
            Step.quiet(
                new Action.OnHost(
                    new HostOperation.Stop(host.id(), host.tenancy(), pool, Optional.empty())),
                "its pool is gone, and it has no Node"))
        : Optional.empty();
  }

  private Optional<Taint> kind(Host host) {
    return catalogue.find(host.machine().instanceType()).map(InstanceType::kindTaint);
  }

  /** A Node of an earlier tenancy, whose machine no longer stands behind it. */
  private static Optional<Step> abandonedNode(MachineSnapshot seen) {
    return seen.node()
        .filter(node -> seen.presentNode().isEmpty())
        .map(node ->
            Step.quiet(
                new Action.DeleteNode(node.name(), node.uid()),
                "its machine is no longer in tenancy " + node.tenancy()));
  }

  /** A machine that was delivered after all starts with a clean record. */
  private static Optional<Step> forgetFailures(Host host, PoolId pool) {
    return host.deliveries()
        .failure()
        .map(failure ->
            Step.quiet(
                new Action.OnHost(new HostOperation.Delivered(host.id(), host.tenancy(), pool)),
                "it registered after " + Texts.count(failure.count(), "failure")));
  }

  /**
   * Registers or reports a Node.
   *
   * @param settled whether its metadata is what it is to be; before, it is not registered (decision
   *     D2)
   */
  private static Optional<Step> report(
      Host host, Node node, PoolId pool, Node.Activity activity, boolean settled) {
    boolean register = !node.registered();
    if (register && !(node.ready() && settled)) {
      return Optional.empty();
    }
    if (!register && node.activity().equals(Optional.of(activity))) {
      return forgetFailures(host, pool);
    }
    Action.ReportNode action =
        new Action.ReportNode(node.name(), node.uid(), register, node.activity(), activity);
    if (!register) {
      return Optional.of(Step.quiet(action, activity.active() ? "active" : "idle"));
    }
    Notice registered =
        new Notice(
            EventReason.NODE_REGISTERED,
            new Notice.Regarding(Notice.Kind.NODE, node.name(), node.uid()),
            "registered",
            "Node %s is registered in NodePool %s.".formatted(node.name(), pool.name()),
            1);
    return Optional.of(new Step(List.of(registered), action, "Ready for the first time"));
  }

  private static Step leaveStopped(MachineSnapshot seen, PoolId pool) {
    Host host = seen.host();
    return seen.node()
        .filter(node -> node.hostUid().equals(host.id().uid()))
        .map(node ->
            Step.quiet(new Action.DeleteNode(node.name(), node.uid()), "its machine is stopped"))
        .orElseGet(() ->
            Step.quiet(
                new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool)),
                "its Node is gone"));
  }
}
