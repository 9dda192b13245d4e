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
 * @param gpuVersion major version of the GPU driver; empty text where none is asked for
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
    Affinity affinity,
    String gpuVersion) {

  /** Nodes in an NVL72 rack (contract §14). */
  public static final int NODES_PER_RACK = 18;

  /** The greatest number of Nodes that a pool may ask for, and name as a bound. */
  public static final int MOST_NODES = 1_000_000;

  /** The greatest number of racks that a pool may ask for; as Nodes they stay countable. */
  public static final int MOST_RACKS = 50_000;

  /** Which Nodes may go when a pool shrinks. */
  public enum ScaleDownStrategy {
    /** Only Nodes without tenant work. */
    IDLE_ONLY,
    /** Idle ones first, then busy ones. */
    PREFER_IDLE
  }

  /** A spec that asks for no GPU driver. */
  public PoolSpec(
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
    this(
        instanceType,
        computeClass,
        targetNodes,
        targetRacks,
        minNodes,
        maxNodes,
        autoscaling,
        node,
        scaleDownStrategy,
        priority,
        prefill,
        affinity,
        "");
  }

  /**
   * The size asked for, in Nodes; racks count as 18 each (decision D5). More racks than can be
   * counted are as many Nodes as can be.
   */
  public int target() {
    return targetNodes.orElseGet(
        () -> (int) Math.min(Integer.MAX_VALUE, (long) targetRacks.orElse(0) * NODES_PER_RACK));
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
