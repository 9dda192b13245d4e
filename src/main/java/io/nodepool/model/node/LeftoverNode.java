package io.nodepool.model.node;

import java.util.List;
import java.util.Set;

/**
 * A Node that a Host of the fleet joined as, and whose Host is gone.
 *
 * @param pods Pods bound to it, in order of UID
 * @param controlPlane names of the Namespaces of those Pods, and of listed ones, that belong to the
 *     control plane
 * @param evidence what this operator found out about it; lost when it dies
 */
public record LeftoverNode(
    Node node, List<Pod> pods, Set<String> controlPlane, MachineSnapshot.Evidence evidence) {
  public LeftoverNode {
    pods = List.copyOf(pods);
    controlPlane = Set.copyOf(controlPlane);
  }
}
