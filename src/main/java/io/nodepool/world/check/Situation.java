package io.nodepool.world.check;

/** A situation that a run may get into. Suites say which ones they are about, and count them. */
public enum Situation {
  /** A Pod was bound to a Node that was marked and cordoned. */
  BOUND_WHILE_MARKED,
  /** A Pod was bound to a Node whose drain had begun. */
  BOUND_WHILE_DRAINING,
  /** The answer to a write was lost. */
  ANSWER_LOST,
  /** The answer to the power-off of a machine was lost. */
  ANSWER_LOST_ON_STOP,
  /** A write took effect after its sender had given it up, or was gone. */
  LATE_EFFECT,
  /** A write was refused because its object is not as it was seen. */
  REFUSED,
  /** A write was denied. */
  DENIED,
  /** An operator started while a Node was marked. */
  STARTED_WHILE_MARKED,
  /** An operator started while a Node was being drained. */
  STARTED_WHILE_DRAINING,
  /** An operator started while an object could not be read. */
  STARTED_WHILE_UNREADABLE,
  /** A mark was taken back. */
  TAKEN_BACK,
  /** A budget refused an eviction. */
  BUDGET_BLOCKED,
  /** A Pod was deleted because a drain's deadline had passed. */
  FORCED_DRAIN,
  /** A Node, its Host or its pool could not be read while the Node was on its way out. */
  UNREADABLE_IN_REMOVAL,
  /** An object could not be read. */
  UNREADABLE,
  /** A Node that was on its way out was not Ready. */
  NOT_READY_IN_REMOVAL,
  /** A deleted Node stayed because of a finalizer. */
  FINALIZER_HELD,
  /** A drained Node waited for its volumes. */
  VOLUME_ATTACHED_IN_REMOVAL,
  /** Something undid what the operator had done. */
  CHANGE_UNDONE,
  /** A machine lost its power. */
  POWER_TRIP,
  /** A machine failed. */
  HOST_FAILED,
  /** A fleet reported by mistake that a machine is being cleaned. */
  CLEANING_UNASKED,
  /** A fleet reported a phase for a tenancy that is yet to come. */
  TENANCY_AHEAD,
  /** Leadership went to another operator while the old one had requests under way. */
  HANDOVER_WITH_REQUESTS,
  /** The gate held back a write of an operator that no longer leads. */
  GATE_CLOSED,
  /** No request got through, and no watch delivered anything. */
  OUTAGE,
  /** A pool's finalizer was taken off while it held Nodes. */
  ORPHANED,
  /** A pool came under the name of one that is gone. */
  POOL_RECREATED,
  /** A pool was told that what it wants is over the quota. */
  OVER_QUOTA,
  /** A pool was told that there are fewer free machines than it may have. */
  SHORT_OF_MACHINES,
  /** A machine was given back before it had come up. */
  CANCELLED_WHILE_BOOTING,
  /** A Node went that was not on its way out. */
  NODE_GONE_UNASKED,
  /** The wall clock of the operator's machine was set. */
  CLOCK_SET
}
