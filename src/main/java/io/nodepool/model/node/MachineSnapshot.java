package io.nodepool.model.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.pool.Pool;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One machine, all of it, at one moment.
 *
 * @param node the Node of the Host's name, of whatever tenancy
 * @param pods Pods bound to that Node, in order of UID
 * @param controlPlane names of the Namespaces of those Pods, and of listed ones, that belong to the
 *     control plane
 * @param pool the pool that holds the Host, if it exists
 * @param metadata what Nodes are to carry of that pool's spec; empty while the pool is leaving, and
 *     while a change of it is not published yet
 * @param evidence what this operator found out about the Node's removal; lost when it dies
 * @param organization the organisation that the fleet's Nodes are for; empty while its offer cannot
 *     be read
 */
public record MachineSnapshot(
    Host host,
    Optional<Node> node,
    List<Pod> pods,
    Set<String> controlPlane,
    Optional<Pool> pool,
    Optional<NodeTemplate> metadata,
    Evidence evidence,
    Optional<String> organization) {
  /**
   * What was found out about the removal of a Node.
   *
   * @param cordonSeen since when, by its own clock, this operator has been seeing the mark and the
   *     cordon on the Node; empty while it does not
   * @param listed the Pods bound to the Node as a live list found them, which the Node was not
   *     changed since
   * @param tried what came of the last attempts to evict or delete, by the Pod's UID
   * @param ownerGone whether a live read found that what the Node belongs to does not exist: the
   *     pool that holds its Host, or the Host
   * @param look what a live look found, where no Node is known
   */
  public record Evidence(
      Optional<Instant> cordonSeen,
      Optional<Listing> listed,
      Map<String, Attempt> tried,
      boolean ownerGone,
      Optional<LiveLook> look) {
    /** Nothing was found out. */
    public static final Evidence NONE =
        new Evidence(Optional.empty(), Optional.empty(), Map.of(), false, Optional.empty());

    public Evidence {
      tried = Map.copyOf(tried);
    }

    /** The same with another live list. */
    public Evidence withListed(Optional<Listing> next) {
      return new Evidence(cordonSeen, next, tried, ownerGone, look);
    }
  }

  /** The Pods that a live list found, in order of UID, and when. */
  public record Listing(List<Pod> pods, Instant at) {
    public Listing {
      pods = List.copyOf(pods);
    }
  }

  /**
   * An attempt to evict or delete a Pod.
   *
   * @param blockedBy the budget that refused it; empty if it was accepted
   */
  public record Attempt(Optional<String> blockedBy, Instant at) {}

  public MachineSnapshot {
    pods = List.copyOf(pods);
    controlPlane = Set.copyOf(controlPlane);
  }

  /** The Node that belongs to the Host's present tenancy. */
  public Optional<Node> presentNode() {
    return node.filter(seen -> seen.isOf(host));
  }

  /** This machine with another Node. */
  public MachineSnapshot withNode(Optional<Node> next) {
    return new MachineSnapshot(
        host, next, pods, controlPlane, pool, metadata, evidence, organization);
  }

  /** This machine with other Pods. */
  public MachineSnapshot withPods(List<Pod> next) {
    return new MachineSnapshot(
        host, node, next, controlPlane, pool, metadata, evidence, organization);
  }

  /** This machine, something else found out about it. */
  public MachineSnapshot withEvidence(Evidence next) {
    return new MachineSnapshot(host, node, pods, controlPlane, pool, metadata, next, organization);
  }
}
