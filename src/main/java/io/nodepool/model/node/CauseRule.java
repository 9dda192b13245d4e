package io.nodepool.model.node;

import io.nodepool.vocabulary.metadata.NodeLabels;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;

/**
 * The constants of a cause of disruption. All other code uses them, not the cause's name.
 *
 * @param standing how the cause is added to a Node's record and removed from it
 * @param countsAs what the disruption of a Node for this cause counts as
 * @param ofSize whether the cause is the pool's size: a record has at most one such cause
 * @param yieldsTo the cause ends in the write that adds another cause that counts as this kind
 * @param insists whether the Node is cordoned again if another client uncordons it before its
 *     drain; else the cause is withdrawn (decision D69)
 * @param settles whether its commitment waits until the cordon has settled
 * @param pauses whether it waits while its pool is paused
 * @param request the label by which a client requests it; removed when the cause ends
 */
@RecordBuilder
public record CauseRule(
    Standing standing,
    CountsAs countsAs,
    boolean ofSize,
    Optional<CountsAs> yieldsTo,
    boolean insists,
    boolean settles,
    boolean pauses,
    Optional<NodeLabels> request)
    implements CauseRuleCopy.With {
  /** How a cause is added to a Node's record and removed from it. */
  public enum Standing {
    /**
     * The plan of the machine derives the cause from objects, and withdraws it when they do not
     * show it any more.
     */
    DERIVED,
    /** The plan of the machine found it by a live read, whose result is final. */
    LATCHED,
    /** The plan of the pool demands it, and removes it from the record. */
    TAKEN_OFF_BY_POOL
  }

  /** What the disruption of a Node counts as. */
  public enum CountsAs {
    /** The Node leaves, and its pool's status and Events report a removal. */
    REMOVAL,
    /** The Node leaves by itself (decision D71). */
    PREEMPTION,
    /** The Node stays in its pool, and its machine is booted anew or verified. */
    REBOOT
  }

  /** The rule of a cause that the plan of the pool demands, for which the Node leaves. */
  public static final CauseRule REMOVAL_BY_POOL =
      new CauseRule(
          Standing.TAKEN_OFF_BY_POOL,
          CountsAs.REMOVAL,
          false,
          Optional.empty(),
          false,
          true,
          false,
          Optional.empty());

  /** The rule of a cause that a live read finds, for which the Node leaves. */
  public static final CauseRule REMOVAL_BY_MACHINE =
      REMOVAL_BY_POOL.withStanding(Standing.LATCHED).withInsists(true);

  /** The rule of a cause for which the Node stays in its pool. */
  public static final CauseRule STAYING = REMOVAL_BY_POOL.withCountsAs(CountsAs.REBOOT);

  /** Whether the Node leaves its pool. */
  public boolean leaves() {
    return countsAs != CountsAs.REBOOT;
  }

  /** Whether the plan of the pool demands it, and removes it from the record. */
  public boolean isOfPool() {
    return standing == Standing.TAKEN_OFF_BY_POOL;
  }
}
