package io.nodepool.model.pool;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.affinity.Affinity;
import java.util.OptionalInt;

/**
 * What a pool's author asks for, as stored (contract §2).
 *
 * @param machines which machines it is made of
 * @param size how many
 * @param node labels, annotations and taints that every Node of the pool carries
 * @param scaleDownStrategy which Nodes may go when it shrinks
 * @param priority higher is served first among outstanding requests; 0 when unset (contract §8)
 * @param prefill whether spec.prefill asks to be enabled; stored, and not acted on
 */
public record PoolSpec(
    Machines machines,
    Size size,
    NodeTemplate node,
    ScaleDownStrategy scaleDownStrategy,
    int priority,
    boolean prefill) {

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

  /**
   * Which machines a pool is made of.
   *
   * @param computeClass the stored spelling; {@link PoolSpec#isSpot} reads it
   * @param affinity which machines of the type it takes; from an annotation, the reference has no
   *     field for it
   * @param gpuVersion major version of the GPU driver; empty text where none is asked for
   */
  public record Machines(
      String instanceType, String computeClass, Affinity affinity, String gpuVersion) {
    /** All machines of a type. */
    public static Machines of(String instanceType) {
      return new Machines(instanceType, "default", Affinity.any(), "");
    }

    /** The same of another type. */
    public Machines withInstanceType(String next) {
      return new Machines(next, computeClass, affinity, gpuVersion);
    }

    /** The same of another compute class. */
    public Machines withComputeClass(String next) {
      return new Machines(instanceType, next, affinity, gpuVersion);
    }

    /** The same with another choice among them. */
    public Machines withAffinity(Affinity next) {
      return new Machines(instanceType, computeClass, next, gpuVersion);
    }

    /** The same with another GPU driver. */
    public Machines withGpuVersion(String next) {
      return new Machines(instanceType, computeClass, affinity, next);
    }
  }

  /**
   * How many machines a pool asks for: one of the two targets, and bounds for an autoscaler.
   *
   * @param autoscaling whether an autoscaler may set the target
   */
  public record Size(
      OptionalInt targetNodes,
      OptionalInt targetRacks,
      int minNodes,
      int maxNodes,
      boolean autoscaling) {
    /** So many Nodes, without bounds. */
    public static Size ofNodes(int nodes) {
      return new Size(OptionalInt.of(nodes), OptionalInt.empty(), 0, 0, false);
    }

    /** The same bounds with a target in Nodes. */
    public Size withNodes(int nodes) {
      return withTargets(OptionalInt.of(nodes), OptionalInt.empty());
    }

    /** The same bounds with a target in racks. */
    public Size withRacks(int racks) {
      return withTargets(OptionalInt.empty(), OptionalInt.of(racks));
    }

    /** The same bounds with these targets. */
    public Size withTargets(OptionalInt nodes, OptionalInt racks) {
      return new Size(nodes, racks, minNodes, maxNodes, autoscaling);
    }

    /** The same target with these bounds. */
    public Size withBounds(int least, int most) {
      return new Size(targetNodes, targetRacks, least, most, autoscaling);
    }

    /** The same size, with an autoscaler or without one. */
    public Size withAutoscaling(boolean next) {
      return new Size(targetNodes, targetRacks, minNodes, maxNodes, next);
    }
  }

  /** The name of the instance type that it asks for. */
  public String instanceType() {
    return machines.instanceType();
  }

  /** Which machines of the type it takes. */
  public Affinity affinity() {
    return machines.affinity();
  }

  /**
   * The size asked for, in Nodes; racks count as 18 each (decision D5). More racks than can be
   * counted are as many Nodes as can be.
   */
  public int target() {
    return size.targetNodes()
        .orElseGet(() ->
            (int)
                Math.min(Integer.MAX_VALUE, (long) size.targetRacks().orElse(0) * NODES_PER_RACK));
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
    return machines.computeClass().equalsIgnoreCase("spot");
  }

  /** This spec for other machines. */
  public PoolSpec withMachines(Machines next) {
    return new PoolSpec(next, size, node, scaleDownStrategy, priority, prefill);
  }

  /** This spec with another size. */
  public PoolSpec withSize(Size next) {
    return new PoolSpec(machines, next, node, scaleDownStrategy, priority, prefill);
  }

  /** This spec with another target, in Nodes. */
  public PoolSpec withTarget(int nodes) {
    return withSize(size.withNodes(nodes));
  }

  /** This spec with other metadata for the Nodes. */
  public PoolSpec withNode(NodeTemplate next) {
    return new PoolSpec(machines, size, next, scaleDownStrategy, priority, prefill);
  }

  /** This spec with another strategy. */
  public PoolSpec withScaleDownStrategy(ScaleDownStrategy next) {
    return new PoolSpec(machines, size, node, next, priority, prefill);
  }

  /** This spec with another priority. */
  public PoolSpec withPriority(int next) {
    return new PoolSpec(machines, size, node, scaleDownStrategy, next, prefill);
  }

  /** This spec, asking for spare Nodes in advance or not. */
  public PoolSpec withPrefill(boolean next) {
    return new PoolSpec(machines, size, node, scaleDownStrategy, priority, next);
  }
}
