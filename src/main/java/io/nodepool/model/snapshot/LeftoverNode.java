package io.nodepool.model.snapshot;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import java.util.List;
import java.util.Set;

/**
 * A Node whose Host was deleted.
 *
 * @param pods Pods bound to it, ordered by UID
 * @param controlPlane names of the Namespaces of those Pods, and of listed ones, that belong to the
 *     control plane
 * @param evidence what this operator process found out about it; lost when the process ends
 */
public record LeftoverNode(
    Node node, List<Pod> pods, Set<String> controlPlane, MachineSnapshot.Evidence evidence) {
  public LeftoverNode {
    pods = List.copyOf(pods);
    controlPlane = Set.copyOf(controlPlane);
  }
}
