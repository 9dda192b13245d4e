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
 * @param size their number
 * @param node labels, annotations and taints of every Node of the pool
 * @param configuration what its Nodes boot, and how a change of it reaches them
 * @param lifecycle when tenant work may be interrupted
 * @param repair how its machines are repaired
 * @param priority a higher priority is served first among outstanding requests; 0 if unset
 *     (contract §8)
 * @param prefill whether spec.prefill is enabled; stored, and not acted on
 * @param pause how a user pauses it or releases a hold; read from annotations, because the
 *     reference has no fields
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
   * When tenant work may be interrupted (contract §2).
   *
   * @param scaleDownStrategy which Nodes may be removed when the target falls
   * @param disableUnhealthyNodeEviction whether a Node with tenant work is not drained because its
   *     machine has a fault, except for faults that leave no choice (decision D29)
   */
  @RecordBuilder
  public record Lifecycle(ScaleDownStrategy scaleDownStrategy, boolean disableUnhealthyNodeEviction)
      implements PoolSpecLifecycleCopy.With {
    /** The lifecycle of a spec without these fields. */
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
   * @param released the instant until which Hosts that were set aside for alerts no longer count;
   *     empty if none is released
   * @param misread the text of the annotation if it is not an instant; else empty text
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

    /** The instant until which Hosts are released; empty if it is in the future. */
    public Optional<Instant> released(Instant now) {
      return released.filter(at -> !at.isAfter(now));
    }

    /** Why the release of these limits is ignored: one sentence; empty if it is not. */
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
   * @param mode the value of the annotation that decides whether machines are repaired; empty text
   *     if it is not set
   * @param limits the limits of repairs
   * @param suspects the alerts that a user released from suspicion, and until when
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
     * Whether machines are repaired. With a text other than act, or an unreadable limit, the pool
     * only observes.
     */
    public boolean isRepairing() {
      return (mode.isEmpty() || mode.equals(PoolAnnotations.ACT)) && limits.problem().isEmpty();
    }

    /** Whether a machine that is taken out of service is kept for inspection: the text is true. */
    public boolean isPreserving() {
      return preserve.equals(PoolAnnotations.TRUE);
    }
  }

  /**
   * How a user pauses a pool or releases a hold.
   *
   * @param text the value of the annotation that pauses the pool; empty without it
   * @param released the hold that the user releases, as {@link FailedReboots#hold}; empty text for
   *     none
   */
  @RecordBuilder
  public record Pause(String text, String released) implements PoolSpecPauseCopy.With {
    /** No pause, no release. */
    public static final Pause NONE = new Pause("", "");

    /** Whether it releases the hold of these failed reboots. */
    public boolean releases(FailedReboots failed) {
      return failed.hold().filter(released::equals).isPresent();
    }

    /** Whether the pool is paused: any text other than false pauses it. */
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
