package io.nodepool.model;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.HostSignals;
import io.nodepool.health.SignalSource;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.vocabulary.EventReason;
import java.util.List;
import java.util.Optional;

/**
 * One observation: a watch event, an element of a list, or the object that the response to a write
 * returned.
 */
public sealed interface Observation {
  /** A pool was observed in this state. */
  record PoolSeen(Pool pool) implements Observation {}

  /** A pool exists and cannot be read. It counts as present, and no action is taken on it. */
  record PoolUnreadable(PoolId pool, long version, String why) implements Observation {}

  /**
   * A Host exists and cannot be read.
   *
   * @param poolUid the UID of the pool that holds it; empty text if that cannot be read
   */
  record HostUnreadable(HostId host, long version, String why, String poolUid)
      implements Observation {}

  /** A Node exists and cannot be read. */
  record NodeUnreadable(String name, String uid, long version, String why) implements Observation {}

  /** A pool was deleted; {@code version} is the version of its last state. */
  record PoolGone(PoolId pool, long version) implements Observation {}

  /**
   * A live list, made after the deletion of the pool was requested, found no Host and no Node of
   * it.
   */
  record PoolFoundEmpty(PoolId pool) implements Observation {}

  /** A Host was observed in this state. */
  record HostSeen(Host host) implements Observation {}

  /** A Host was deleted. */
  record HostGone(HostId host, long version) implements Observation {}

  /** An observation about the health of machines. */
  sealed interface OfHealth extends Observation {}

  /** The signals of monitoring about a Host were observed in this state. */
  record SignalsSeen(HostSignals signals) implements OfHealth {}

  /** The signals of monitoring about a Host were deleted. */
  record SignalsGone(String host, String uid, long version) implements OfHealth {}

  /** A heartbeat of a source of signals was observed. */
  record SourceSeen(SignalSource source) implements OfHealth {}

  /** The heartbeat of a source of signals was deleted. */
  record SourceGone(String name, String uid, long version) implements OfHealth {}

  /** A Node was observed in this state. */
  record NodeSeen(Node node) implements Observation {}

  /** A Node was deleted. */
  record NodeGone(String name, String uid, long version) implements Observation {}

  /** A Pod bound to a Node was observed in this state. */
  record PodSeen(Pod pod) implements Observation {}

  /** A Pod bound to a Node was deleted. */
  record PodGone(String nodeName, String uid, long version) implements Observation {}

  /**
   * A live list found these Pods bound to a Node, except finished ones.
   *
   * @param nodeVersion the version of the Node for which the list was requested; for another
   *     version the list is not valid
   */
  record PodsListed(String nodeName, String nodeUid, long nodeVersion, List<Pod> pods)
      implements Observation {
    public PodsListed {
      pods = List.copyOf(pods);
    }
  }

  /**
   * A live read of a machine whose Node was not known.
   *
   * @param tenancy the tenancy of the Host for which the read was requested
   * @param nodeFound whether a Node of its name exists
   * @param pods the Pods bound to that name, except finished ones; not listed if the Node exists
   */
  record MachineRead(HostId host, int tenancy, boolean nodeFound, List<Pod> pods)
      implements Observation {
    public MachineRead {
      pods = List.copyOf(pods);
    }
  }

  /** A live read of a Node in this version found when the request on it was set. */
  record RequestTimed(String nodeName, String nodeUid, long nodeVersion, RequestTimes times)
      implements Observation {}

  /** A live read of the Job that verifies the machine of a Node. */
  record JobSeen(String nodeName, String nodeUid, VerificationJob job) implements Observation {}

  /** The Event about a Node's present state was emitted, or given up. */
  record Announced(String nodeName, String nodeUid, EventReason reason, String occasion)
      implements Observation {}

  /**
   * The eviction or deletion of a Pod was requested.
   *
   * @param blockedBy the PodDisruptionBudget that refused it; empty if it was accepted
   */
  record EvictionTried(String nodeName, String podUid, Optional<String> blockedBy)
      implements Observation {}

  /** A Namespace was observed in this state. */
  record NamespaceSeen(Namespace namespace) implements Observation {}

  /** A live read found a Namespace in this state, and the author of its label. */
  record NamespaceAuthored(Namespace namespace, LabelAuthor author) implements Observation {}

  /** A Namespace was deleted. */
  record NamespaceGone(String name, String uid, long version) implements Observation {}

  /** The fleet's offer was observed. */
  record OfferSeen(FleetOffer offer) implements Observation {}

  /** The fleet's offer cannot be read. */
  record OfferLost(String why) implements Observation {}

  /** The alerts that count from now on: the shipped alerts with a user's changes. */
  record CatalogueSeen(AlertCatalogue catalogue) implements OfHealth {}

  /** A user's changes of the alerts cannot be read, so the last ones stay. */
  record CatalogueRefused(String why) implements OfHealth {}

  /**
   * Whether the definition of Hosts exists. It counts as existing until this is observed.
   *
   * @param missing what is missing, and how to correct it; empty if it exists again
   */
  record HostsDefined(Optional<String> missing) implements Observation {}

  /** The version of the API server, such as v1.34.4. */
  record ApiServerSeen(String version) implements Observation {}
}
