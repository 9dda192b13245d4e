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
import io.nodepool.model.Pool;
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

  /** A planner that knows these instance types. */
  public MachinePlanner(InstanceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /** What the machine has to do now, and when it may have to do something else. */
  public MachinePlan plan(MachineSnapshot seen, Instant now) {
    Optional<Node> ofAnotherHost =
        seen.node().filter(node -> !node.hostUid().equals(seen.host().id().uid()));
    if (ofAnotherHost.isPresent()) {
      return plan(new LeftoverNode(ofAnotherHost.get(), seen.pods(), seen.controlPlane()), now);
    }
    return new MachinePlan(
        step(seen, now), seen.presentNode().flatMap(node -> Activity.nextChange(seen, node, now)));
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
    return new MachinePlan(step, Activity.nextChange(seen.pods(), node, now));
  }

  private Optional<Step> step(MachineSnapshot seen, Instant now) {
    Host host = seen.host();
    if (host.assignment().isEmpty()) {
      return abandonedNode(seen);
    }
    PoolId pool = host.assignment().get().pool();
    if (host.is(HostPhase.STOPPED)) {
      return Optional.of(leaveStopped(seen, pool));
    }
    Optional<Node> node = seen.presentNode();
    if (node.isEmpty() || !host.is(HostPhase.RUNNING)) {
      return abandonedNode(seen);
    }
    Node.Activity activity = Activity.of(seen, node.get(), now);
    boolean leaving = seen.pool().map(Pool::isLeaving).orElse(true);
    if (leaving && !activity.active()) {
      return leaveIdle(host, pool, node.get());
    }
    boolean settled = leaving || seen.metadata().isPresent();
    return Metadata.follow(seen, node.get(), activity.active(), kind(host))
        .or(() -> report(host, node.get(), pool, activity, settled));
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

  private static Optional<Step> leaveIdle(Host host, PoolId pool, Node node) {
    if (!node.cordoned()) {
      Notice cordoned =
          new Notice(
              EventReason.NODE_CORDONED,
              new Notice.Regarding(Notice.Kind.NODE, node.name(), node.uid()),
              "removal",
              "Node %s is cordoned: NodePool %s is being deleted."
                  .formatted(node.name(), pool.name()),
              1);
      return Optional.of(
          new Step(
              List.of(cordoned),
              new Action.Cordon(node.name(), node.uid()),
              "its pool is leaving"));
    }
    if (host.power() == Host.Power.OFF) {
      return Optional.empty();
    }
    return Optional.of(
        Step.quiet(
            new Action.OnHost(
                new HostOperation.Stop(host.id(), host.tenancy(), pool, Optional.empty())),
            "its pool is leaving and it is idle"));
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
