package io.nodepool.control.state;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;

/** The objects that the watch has shown: an answer about another object is dropped. */
record KnownObjects(PoolTable pools, MachineTable machines, PodTable pods, Namespaces namespaces) {
  /**
   * Whether the object of an answer is in the state. An object that the watch has already removed
   * would otherwise stay forever.
   */
  boolean include(Observation answer) {
    return switch (answer) {
      case Observation.PoolSeen(Pool pool) -> pools.knows(pool.id());
      case Observation.PoolGone(PoolId pool, long _) -> pools.find(pool.uid()) != null;
      case Observation.PoolFoundEmpty(PoolId pool) -> pools.knows(pool);
      case Observation.HostSeen(Host host) -> machines.knows(host.id());
      case Observation.HostGone(HostId host, long _) ->
          machines.knows(host) || machines.names(host);
      case Observation.MachineRead read -> machines.knows(read.host());
      case Observation.NodeSeen(Node node) -> machines.knowsNode(node.name(), node.uid());
      case Observation.NodeGone(String name, String uid, long _) -> machines.knowsNode(name, uid);
      case Observation.PodSeen(Pod pod) -> pods.knows(pod.uid());
      case Observation.PodGone(String _, String uid, long _) -> pods.knows(uid);
      case Observation.PodsListed found -> machines.knowsNode(found.nodeName(), found.nodeUid());
      case Observation.RequestTimed read -> machines.knowsNode(read.nodeName(), read.nodeUid());
      case Observation.JobSeen seen -> machines.knowsNode(seen.nodeName(), seen.nodeUid());
      case Observation.Announced event -> machines.knowsNode(event.nodeName(), event.nodeUid());
      case Observation.EvictionTried tried -> machines.find(tried.nodeName()) != null;
      case Observation.NamespaceSeen(Namespace namespace) ->
          namespaces.knows(namespace.name(), namespace.uid());
      case Observation.NamespaceAuthored(Namespace namespace, LabelAuthor _) ->
          namespaces.knows(namespace.name(), namespace.uid());
      case Observation.NamespaceGone(String name, String uid, long _) ->
          namespaces.knows(name, uid);
      case Observation.PoolUnreadable unreadable -> pools.knows(unreadable.pool());
      case Observation.HostUnreadable unreadable -> machines.knows(unreadable.host());
      case Observation.NodeUnreadable unreadable ->
          machines.knowsNode(unreadable.name(), unreadable.uid());
      case Observation.OfferSeen _,
          Observation.OfferLost _,
          Observation.HostsDefined _,
          Observation.ApiServerSeen _,
          Observation.OfHealth _ ->
          true;
    };
  }
}
