package io.nodepool.world.check;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Request;
import java.time.Instant;
import java.util.Optional;

/**
 * The operator's promises about machines of which the fleet does not know whether they are off, and
 * on which their owner works: judged by what the operator had observed when it asked.
 */
final class PowerPath {
  private final OperatorViews views;
  private final WorldCluster cluster;

  PowerPath(WorldCluster cluster, OperatorViews views) {
    this.views = views;
    this.cluster = cluster;
  }

  /** Checks an intent before it takes effect. */
  void before(Request request, Action action) {
    Optional<Host> seen = views.of(request).host();
    Instant then = request.knownSince;
    if (action instanceof Action.DeleteNode(String name, String uid)) {
      cluster
          .node(name, uid)
          .flatMap(node -> seen.filter(node::isOf).filter(host -> maySurvive(host, node, then)))
          .ifPresent(host ->
              Invariants.require(
                  false, "{} although its machine may still run: {}", action, host.report()));
    } else if (action instanceof Action.OnHost(HostOperation operation)) {
      seen.filter(host -> host.tenancy() == operation.tenancy())
          .ifPresent(host -> before(operation, host, then));
    }
  }

  private static boolean maySurvive(Host host, Node node, Instant then) {
    return host.mayStillRun(then) && node.identity().tenancy() == host.tenancy();
  }

  private static void before(HostOperation operation, Host host, Instant then) {
    switch (operation) {
      case HostOperation.Release _ ->
          Invariants.require(
              host.isOff(then),
              "{} although its machine is not known to be off: {}",
              operation,
              host.report());
      case HostOperation.Assign _, HostOperation.Boot _, HostOperation.RepairComponent _ ->
          Invariants.require(
              host.hold(then).isEmpty(),
              "{} although nothing may begin on its machine: {}",
              operation,
              host.report());
      case HostOperation.Cancel _,
          HostOperation.Stop _,
          HostOperation.Preserve _,
          HostOperation.Delivered _,
          HostOperation.ClearFailures _,
          HostOperation.DropBoot _,
          HostOperation.Note _,
          HostOperation.Stage _ -> {}
    }
  }
}
