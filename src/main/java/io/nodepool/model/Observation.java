package io.nodepool.model;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import java.util.List;
import java.util.Optional;

/**
 * One thing seen: a watch event, an element of a list, or the object that a write's answer brought
 * back.
 */
public sealed interface Observation {
  /** A pool was seen in this state. */
  record PoolSeen(Pool pool) implements Observation {}

  /**
   * A pool is there and says something that cannot be understood: it is present, and nothing is
   * done about it.
   */
  record PoolUnreadable(PoolId pool, long version, String why) implements Observation {}

  /**
   * A Host is there and says something that cannot be understood.
   *
   * @param poolUid the UID of the pool that holds it, as far as that can be read; else empty text
   */
  record HostUnreadable(HostId host, long version, String why, String poolUid)
      implements Observation {}

  /** A Node is there and says something that cannot be understood. */
  record NodeUnreadable(String name, String uid, long version, String why) implements Observation {}

  /** A pool is gone; {@code version} is that of its last state. */
  record PoolGone(PoolId pool, long version) implements Observation {}

  /** A live list, made after the pool's deletion was asked for, found no Host and no Node of it. */
  record PoolFoundEmpty(PoolId pool) implements Observation {}

  /** A Host was seen in this state. */
  record HostSeen(Host host) implements Observation {}

  /** A Host is gone. */
  record HostGone(HostId host, long version) implements Observation {}

  /** A Node was seen in this state. */
  record NodeSeen(Node node) implements Observation {}

  /** A Node is gone. */
  record NodeGone(String name, String uid, long version) implements Observation {}

  /** A Pod bound to a Node was seen in this state. */
  record PodSeen(Pod pod) implements Observation {}

  /** A Pod is gone from its Node. */
  record PodGone(String nodeName, String uid, long version) implements Observation {}

  /**
   * A live list found these Pods bound to a Node, finished ones left out.
   *
   * @param nodeVersion the version of the Node that the list was asked for; with another one it
   *     says nothing
   */
  record PodsListed(String nodeName, String nodeUid, long nodeVersion, List<Pod> pods)
      implements Observation {
    public PodsListed {
      pods = List.copyOf(pods);
    }
  }

  /**
   * A live look at a machine of which no Node was known.
   *
   * @param tenancy the tenancy of the Host that it was asked for
   * @param nodeFound whether there is a Node of its name
   * @param pods the Pods bound to that name, finished ones left out; not listed where there is one
   */
  record MachineLooked(HostId host, int tenancy, boolean nodeFound, List<Pod> pods)
      implements Observation {
    public MachineLooked {
      pods = List.copyOf(pods);
    }
  }

  /**
   * The eviction or deletion of a Pod was asked for.
   *
   * @param blockedBy the budget that refused it; empty if it was accepted
   */
  record EvictionTried(String nodeName, String podUid, Optional<String> blockedBy)
      implements Observation {}

  /** A Namespace was seen in this state. */
  record NamespaceSeen(Namespace namespace) implements Observation {}

  /** A live read found a Namespace in this state, and who put its label. */
  record NamespaceAuthored(Namespace namespace, LabelAuthor author) implements Observation {}

  /** A Namespace is gone. */
  record NamespaceGone(String name, String uid, long version) implements Observation {}

  /** The fleet's offer was seen. */
  record OfferSeen(FleetOffer offer) implements Observation {}

  /** The fleet's offer cannot be read. */
  record OfferLost(String why) implements Observation {}
}
