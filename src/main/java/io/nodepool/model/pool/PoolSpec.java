package io.nodepool.model.pool;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The spec of a pool, as stored (contract §2).
 *
 * @param machines the machines that it consists of
 * @param size how many
 * @param node labels, annotations and taints of every Node of the pool
 * @param configuration what its Nodes boot, and how a change of that reaches them
 * @param lifecycle whose work may be interrupted
 * @param repair how its machines are repaired
 * @param priority a higher priority is served first among outstanding requests; 0 if unset
 *     (contract §8)
 * @param prefill whether spec.prefill is enabled; stored, and not acted on
 * @param pause the brakes of its user; read from annotations, because the reference has no fields
 */
@RecordBuilder
public record PoolSpec(
    Machines machines,
    Size size,
    NodeTemplate node,
    ConfigurationSpec configuration,
    Lifecycle lifecycle,
    RepairPolicy repair,
    int priority,
    boolean prefill,
    Pause pause)
    implements PoolSpecCopy.With {

  /** Nodes in an NVL72 rack (contract §14). */
  public static final int NODES_PER_RACK = 18;

  /** The greatest number of Nodes that a target or a bound may have. */
  public static final int MOST_NODES = 1_000_000;

  /**
   * The greatest number of racks that a target may have; the number of their Nodes fits into an
   * int.
   */
  public static final int MOST_RACKS = 50_000;

  /** Which Nodes may be removed when the target falls. */
  public enum ScaleDownStrategy {
    /** Only Nodes without tenant work. */
    IDLE_ONLY,
    /** Idle Nodes first, then busy Nodes. */
    PREFER_IDLE
  }

  /**
   * Whose work may be interrupted (contract §2).
   *
   * @param scaleDownStrategy which Nodes may be removed when the target falls
   * @param disableUnhealthyNodeEviction whether a Node with tenant work is not drained because its
   *     machine has a fault, but for faults that leave no choice (decision D29)
   */
  @RecordBuilder
  public record Lifecycle(ScaleDownStrategy scaleDownStrategy, boolean disableUnhealthyNodeEviction)
      implements PoolSpecLifecycleCopy.With {
    /** The lifecycle of a spec that says nothing. */
    public static final Lifecycle DEFAULTS = new Lifecycle(ScaleDownStrategy.IDLE_ONLY, true);
  }

  /**
   * The limits of a pool's repairs (decisions D33 and D318).
   *
   * @param unavailable the number of unavailable Nodes from which on no further Node is cordoned
   *     for a repair
   * @param atOnce the greatest number of Nodes that are repaired at the same time
   * @param problem what is wrong with the annotations of the limits: one sentence; empty if nothing
   *     is
   * @param released until when what was set aside for alerts counts no more; empty if nothing is
   *     released
   * @param misread what stands in the place of that instant and is none; empty text without it
   */
  @RecordBuilder
  public record RepairBrakes(
      RolloutSettings.Limit unavailable,
      RolloutSettings.Limit atOnce,
      Optional<String> problem,
      Optional<Instant> released,
      String misread)
      implements PoolSpecRepairBrakesCopy.With {
    /** The limits of a pool without annotations: 20 % and at least 2, and 5 %. */
    public static final RepairBrakes DEFAULTS =
        new RepairBrakes(
            new RolloutSettings.Limit(2, 20),
            RolloutSettings.Limit.DEFAULT,
            Optional.empty(),
            Optional.empty(),
            "");

    /** Until when what was set aside counts no more: an instant in the future releases nothing. */
    public Optional<Instant> released(Instant now) {
      return released.filter(at -> !at.isAfter(now));
    }

    /** Why what is to release these limits is ignored: one sentence; empty if it is not. */
    public Optional<String> ignoredRelease(Instant now) {
      return misread.isEmpty()
          ? released
              .filter(at -> at.isAfter(now))
              .map(at ->
                  "The annotation %s is ignored: %s is in the future."
                      .formatted(PoolAnnotations.RELEASE_HELD.key(), at))
          : Optional.of(
              "The annotation %s is ignored: %s is not an instant; example: %s."
                  .formatted(
                      PoolAnnotations.RELEASE_HELD.key(),
                      UserText.quoted(misread),
                      PoolAnnotations.RELEASE_HELD.sample()));
    }
  }

  /**
   * How the machines of a pool are repaired; read from annotations, because the reference has no
   * fields.
   *
   * @param mode the value of the annotation that says whether machines are repaired; empty text
   *     without it
   * @param limits the limits of repairs
   * @param suspects the alerts that are not suspected for a while
   * @param verificationJob the ConfigMap of the Job that a repaired machine has to pass before its
   *     Node is back; empty text for none
   * @param preserve the value of the annotation that keeps a faulty machine for inspection; empty
   *     text without it
   */
  @RecordBuilder
  public record RepairPolicy(
      String mode,
      RepairBrakes limits,
      ReleasedSuspects suspects,
      String verificationJob,
      String preserve)
      implements PoolSpecRepairPolicyCopy.With {
    /** The policy of a pool without annotations. */
    public static final RepairPolicy DEFAULTS =
        new RepairPolicy("", RepairBrakes.DEFAULTS, ReleasedSuspects.NONE, "", "");

    /**
     * Whether machines are repaired; a text that is not read as act only observes, and so does a
     * limit that cannot be read.
     */
    public boolean isRepairing() {
      return (mode.isEmpty() || mode.equals(PoolAnnotations.ACT)) && limits.problem().isEmpty();
    }

    /**
     * Whether a machine that is taken out of service is kept for inspection; any other text does
     * not.
     */
    public boolean isPreserving() {
      return preserve.equals(PoolAnnotations.TRUE);
    }
  }

  /**
   * The brakes of a pool's user.
   *
   * @param text the value of the annotation that pauses the pool; empty without it
   * @param released the hold that the user releases, as {@link FailedReboots#hold}; empty text for
   *     none
   */
  @RecordBuilder
  public record Pause(String text, String released) implements PoolSpecPauseCopy.With {
    /** No brake. */
    public static final Pause NONE = new Pause("", "");

    /** Whether it releases what these reboots hold. */
    public boolean releases(FailedReboots failed) {
      return failed.hold().filter(released::equals).isPresent();
    }

    /** Whether the pool is paused; a text that is not read as false pauses. */
    public boolean isSet() {
      return !text.isEmpty() && !text.equals(PoolAnnotations.FALSE);
    }

    /** Whether the text is neither true nor false. */
    public boolean isMisspelt() {
      return isSet() && !text.equals(PoolAnnotations.TRUE);
    }
  }

  /**
   * The machines that a pool consists of.
   *
   * @param computeClass the stored spelling; {@link PoolSpec#isSpot} reads it
   * @param affinity which machines of the type it admits; read from an annotation, because the
   *     reference has no field for it
   */
  @RecordBuilder
  public record Machines(String instanceType, String computeClass, Affinity affinity)
      implements PoolSpecMachinesCopy.With {}

  /**
   * The size of a pool: one of the two targets, and bounds for an autoscaler.
   *
   * @param autoscaling whether an autoscaler may set the target
   */
  @RecordBuilder
  public record Size(
      OptionalInt targetNodes,
      OptionalInt targetRacks,
      int minNodes,
      int maxNodes,
      boolean autoscaling)
      implements PoolSpecSizeCopy.With {}

  /** The name of the instance type. */
  public String instanceType() {
    return machines.instanceType();
  }

  /** Which machines of the type it admits. */
  public Affinity affinity() {
    return machines.affinity();
  }

  /**
   * The target in Nodes; a rack counts as 18 (decision D5). A number that overflows counts as the
   * greatest int.
   */
  public int target() {
    return size.targetNodes()
        .orElseGet(() ->
            (int)
                Math.min(Integer.MAX_VALUE, (long) size.targetRacks().orElse(0) * NODES_PER_RACK));
  }

  /** Whether a Node with tenant work stays until it has none (decision D19). */
  public boolean keepsBusyNodes() {
    return switch (lifecycle.scaleDownStrategy()) {
      case IDLE_ONLY -> true;
      case PREFER_IDLE -> false;
    };
  }

  /** Whether the pool's Nodes are spot; both spellings are accepted (decision D6). */
  public boolean isSpot() {
    return machines.computeClass().equalsIgnoreCase("spot");
  }
}
