package io.nodepool.world;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import io.nodepool.model.Node;
import io.nodepool.model.NodeMetadata;
import io.nodepool.model.Pod;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSpec;
import io.nodepool.model.PoolStatus;
import io.nodepool.model.Removal;
import java.time.Instant;
import java.util.Optional;

/** Objects with one thing changed, under a new version. */
final class Changed {
  private Changed() {}

  static Host tenant(
      Host host,
      long version,
      int tenancy,
      Optional<Assignment> assignment,
      String configuration,
      Host.Power power,
      Deliveries deliveries) {
    return new Host(
        host.id(),
        version,
        host.machine(),
        tenancy,
        assignment,
        configuration,
        power,
        deliveries,
        host.report());
  }

  static Host report(Host host, long version, Host.Report report) {
    return new Host(
        host.id(),
        version,
        host.machine(),
        host.tenancy(),
        host.assignment(),
        host.configuration(),
        host.power(),
        host.deliveries(),
        report);
  }

  static Node node(
      Node node,
      long version,
      boolean registered,
      Optional<Node.Activity> activity,
      boolean cordoned) {
    return node(node, version, registered, activity, cordoned, node.removal(), node.removing());
  }

  static Node removal(
      Node node,
      long version,
      boolean cordoned,
      Optional<Removal> removal,
      Optional<Node.Removing> removing) {
    return node(node, version, node.registered(), node.activity(), cordoned, removal, removing);
  }

  static Node conditions(
      Node node,
      long version,
      boolean registered,
      Optional<Node.Activity> activity,
      Optional<Node.Removing> removing) {
    return node(node, version, registered, activity, node.cordoned(), node.removal(), removing);
  }

  static Node deleting(Node node, long version) {
    return node(
        node,
        version,
        true,
        node.registered(),
        node.activity(),
        node.cordoned(),
        node.removal(),
        node.removing());
  }

  private static Node node(
      Node node,
      long version,
      boolean registered,
      Optional<Node.Activity> activity,
      boolean cordoned,
      Optional<Removal> removal,
      Optional<Node.Removing> removing) {
    return node(node, version, node.deleting(), registered, activity, cordoned, removal, removing);
  }

  private static Node node(
      Node node,
      long version,
      boolean deleting,
      boolean registered,
      Optional<Node.Activity> activity,
      boolean cordoned,
      Optional<Removal> removal,
      Optional<Node.Removing> removing) {
    return new Node(
        node.name(),
        node.uid(),
        version,
        node.hostUid(),
        node.tenancy(),
        node.createdAt(),
        deleting,
        node.ready(),
        registered,
        activity,
        cordoned,
        removal,
        removing,
        node.volumes(),
        node.metadata());
  }

  static Node metadata(Node node, long version, NodeMetadata metadata) {
    return node(node, version, node.registered(), node.activity(), node.cordoned()).with(metadata);
  }

  static Pod pod(Pod pod, long version, boolean started, Optional<Instant> deletedAt) {
    return new Pod(
        pod.namespace(),
        pod.name(),
        pod.uid(),
        version,
        pod.nodeName(),
        pod.ownerKind(),
        pod.ownerName(),
        pod.mirror(),
        pod.critical(),
        pod.grace(),
        pod.interruption(),
        started,
        pod.finished(),
        deletedAt);
  }

  static Pool spec(Pool pool, long version, PoolSpec spec) {
    return pool(
        pool,
        version,
        pool.generation() + 1,
        pool.deletionRequestedAt(),
        pool.guarded(),
        spec,
        pool.status());
  }

  static Pool leaving(Pool pool, long version, Instant now) {
    return pool(
        pool,
        version,
        pool.generation() + 1,
        Optional.of(now),
        pool.guarded(),
        pool.spec(),
        pool.status());
  }

  static Pool guard(Pool pool, long version, boolean guarded) {
    return pool(
        pool,
        version,
        pool.generation(),
        pool.deletionRequestedAt(),
        guarded,
        pool.spec(),
        pool.status());
  }

  static Pool status(Pool pool, long version, PoolStatus status) {
    return pool(
        pool,
        version,
        pool.generation(),
        pool.deletionRequestedAt(),
        pool.guarded(),
        pool.spec(),
        status);
  }

  private static Pool pool(
      Pool pool,
      long version,
      long generation,
      Optional<Instant> deletionRequestedAt,
      boolean guarded,
      PoolSpec spec,
      PoolStatus status) {
    return new Pool(
        pool.id(),
        version,
        generation,
        pool.createdAt(),
        deletionRequestedAt,
        guarded,
        spec,
        status);
  }
}
