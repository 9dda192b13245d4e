package io.nodepool.model;

import io.nodepool.fleet.Affinity;
import io.nodepool.fleet.NodeTemplate;
import java.util.OptionalInt;

/**
 * What a pool's author asks for, as stored (contract §2).
 *
 * @param computeClass the stored spelling; {@link #isSpot} reads it
 * @param node labels, annotations and taints that every Node of the pool carries
 * @param affinity which machines of the type it takes; from an annotation, the reference has no
 *     field for it
 * @param priority higher is served first among outstanding requests; 0 when unset (contract §8)
 */
public record PoolSpec(
    String instanceType,
    String computeClass,
    OptionalInt targetNodes,
    OptionalInt targetRacks,
    int minNodes,
    int maxNodes,
    boolean autoscaling,
    NodeTemplate node,
    ScaleDownStrategy scaleDownStrategy,
    int priority,
    boolean prefill,
    Affinity affinity) {

  /** Nodes in an NVL72 rack (contract §14). */
  public static final int NODES_PER_RACK = 18;

  /** Which Nodes may go when a pool shrinks. */
  public enum ScaleDownStrategy {
    /** Only Nodes without tenant work. */
    IDLE_ONLY,
    /** Idle ones first, then busy ones. */
    PREFER_IDLE
  }

  /** The size asked for, in Nodes; racks count as 18 each (decision D5). */
  public int target() {
    return targetNodes.orElseGet(() -> targetRacks.orElse(0) * NODES_PER_RACK);
  }

  /** Whether a Node with tenant work stays until it has none (decision D19). */
  public boolean keepsBusyNodes() {
    return switch (scaleDownStrategy) {
      case IDLE_ONLY -> true;
      case PREFER_IDLE -> false;
    };
  }

  /** Whether the pool's Nodes are spot; both spellings are accepted (decision D6). */
  public boolean isSpot() {
    return computeClass.equalsIgnoreCase("spot");
  }
}
