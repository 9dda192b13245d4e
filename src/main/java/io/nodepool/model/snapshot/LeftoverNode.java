package io.nodepool.model.snapshot;

import io.nodepool.model.node.Node;

/**
 * A Node whose Host was deleted.
 *
 * @param bound the Pods bound to it
 * @param evidence what this operator process found out about it; lost when the process ends
 */
public record LeftoverNode(
    Node node, MachineSnapshot.Bound bound, MachineSnapshot.Evidence evidence) {}
