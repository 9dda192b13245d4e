package io.nodepool.world.check;

import io.nodepool.fleet.Host;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import io.nodepool.world.operator.Request;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The Pods of tenants: which of them live on a Node, when they were bound, and what ran. */
final class TenantPods {
  private final OperatorViews views;
  private final WorldCluster cluster;
  private final InstantSource clock;

  /** The version of the cluster when each Pod was bound, by its UID. */
  private final Map<String, Long> boundAt = new HashMap<>();

  /**
   * The version of the cluster when each machine was powered off or released, by its Host's UID.
   */
  private final Map<String, Long> offSince = new HashMap<>();

  TenantPods(WorldCluster cluster, InstantSource clock, OperatorViews views) {
    this.views = views;
    this.cluster = cluster;
    this.clock = clock;
    cluster.watch(this::see, WorldCluster.Kind.PODS, WorldCluster.Kind.HOSTS);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      if (host.power() == Host.Power.OFF || host.assignment().isEmpty()) {
        offSince.putIfAbsent(host.id().uid(), host.version());
      } else {
        offSince.remove(host.id().uid());
      }
    } else if (seen instanceof Observation.PodSeen(Pod pod)) {
      boundAt.putIfAbsent(pod.uid(), pod.version());
    } else if (seen instanceof Observation.PodGone(_, String uid, _)) {
      boundAt.remove(uid);
    }
  }

  /** The version of the cluster when a Pod was bound. */
  long bound(Pod pod) {
    return boundAt.getOrDefault(pod.uid(), 0L);
  }

  /**
   * Live Pods of tenants on a Node. If its kubelet does not answer, a Pod lives until its grace
   * period ends.
   */
  Stream<Pod> live(Node node) {
    return cluster.workloads().boundTo(node.name()).stream()
        .filter(this::isTenants)
        .filter(pod -> !pod.execution().finished())
        .filter(pod ->
            node.ready()
                || pod.deletedAt().filter(ends -> !ends.isAfter(clock.instant())).isEmpty());
  }

  /**
   * Those of them that must not be interrupted, and that the sender of a request can know: they
   * were bound before its last live list of the Node, or it made none.
   */
  Stream<Pod> known(Request request, Node node) {
    long listed =
        views.of(request.sender).listing(node.uid()).map(OperatorView.Listing::at).orElse(-1L);
    return live(node)
        .filter(pod -> pod.interruption() == Pod.Interruption.NONE)
        .filter(pod -> bound(pod) <= listed || listed < 0);
  }

  /** Those of them that run: one that was bound while the machine was off never ran. */
  Stream<Pod> running(Node node) {
    long off = offSince.getOrDefault(node.hostUid(), Long.MAX_VALUE);
    return live(node).filter(pod -> bound(pod) < off);
  }

  /** Whether a Pod is a tenant's, and does not belong to its Node. */
  boolean isTenants(Pod pod) {
    return !WorldPods.isOfNode(pod) && !isControlPlane(pod.namespace());
  }

  private boolean isControlPlane(String namespace) {
    return ControlPlaneNamespaces.DEFAULTS.names().contains(namespace)
        || cluster
            .namespaces()
            .find(namespace)
            .flatMap(Namespace::organization)
            .filter(NamespaceLabels.CONTROL_PLANE::equals)
            .isPresent();
  }
}
