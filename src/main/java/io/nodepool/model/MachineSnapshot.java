package io.nodepool.model;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One machine, all of it, at one moment.
 *
 * @param node the Node of the Host's name, of whatever tenancy
 * @param pods Pods bound to that Node, in order of UID
 * @param controlPlane names of the Namespaces of those Pods that belong to the control plane
 * @param pool the pool that holds the Host, if it exists
 * @param metadata what Nodes are to carry of that pool's spec; empty while the pool is leaving, and
 *     while a change of it is not published yet
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
    Optional<String> organization) {
  public MachineSnapshot {
    pods = List.copyOf(pods);
    controlPlane = Set.copyOf(controlPlane);
  }

  /** The Node that belongs to the Host's present tenancy. */
  public Optional<Node> presentNode() {
    return node.filter(seen -> seen.isOf(host));
  }
}
