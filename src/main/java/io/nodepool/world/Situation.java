package io.nodepool.world;

/**
 * A situation that may occur in a run. Test suites name the ones that they cover, and count them.
 */
public enum Situation {
  /** A Pod was bound to a Node that was admitted and cordoned. */
  BOUND_WHILE_ADMITTED,
  /** A Pod was bound to a Node whose drain had begun. */
  BOUND_WHILE_DRAINING,
  /** The answer to a write was lost. */
  ANSWER_LOST,
  /** The answer to the power-off of a machine was lost. */
  ANSWER_LOST_ON_STOP,
  /** The answer to a request to boot a machine anew was lost. */
  ANSWER_LOST_ON_BOOT,
  /** A write took effect after its sender had given it up or had ended. */
  LATE_EFFECT,
  /** A write was refused because its object had changed. */
  REFUSED,
  /** A write was denied. */
  DENIED,
  /** An operator started while a Node was admitted. */
  STARTED_WHILE_ADMITTED,
  /** An operator started while a Node was being drained. */
  STARTED_WHILE_DRAINING,
  /** An operator started while a Node was being rebooted. */
  STARTED_WHILE_REBOOTING,
  /** An operator started while an object could not be read. */
  STARTED_WHILE_UNREADABLE,
  /** An admission was withdrawn. */
  TAKEN_BACK,
  /** A budget refused an eviction. */
  BUDGET_BLOCKED,
  /** An eviction failed because several budgets protect the Pod. */
  SEVERAL_BUDGETS,
  /** A Pod was deleted because a drain's deadline had passed. */
  FORCED_DRAIN,
  /** A Node, its Host or its pool could not be read during the Node's removal. */
  UNREADABLE_IN_REMOVAL,
  /** An object could not be read. */
  UNREADABLE,
  /** A Node was not Ready during its removal. */
  NOT_READY_IN_REMOVAL,
  /** A deleted Node continued to exist because of a finalizer. */
  FINALIZER_HELD,
  /** A drained Node waited for its volumes. */
  VOLUME_ATTACHED_IN_REMOVAL,
  /** Another client undid a change of the operator. */
  CHANGE_UNDONE,
  /** A machine lost its power. */
  POWER_TRIP,
  /** A machine failed. */
  HOST_FAILED,
  /** A fleet reported by mistake that a machine is being cleaned. */
  CLEANING_UNASKED,
  /** A fleet reported a phase for a future tenancy. */
  TENANCY_AHEAD,
  /** Leadership moved to another operator while the old one had requests in flight. */
  HANDOVER_WITH_REQUESTS,
  /** The gate held back a write of an operator that no longer leads. */
  GATE_CLOSED,
  /** No request reached the API server, and no watch delivered anything. */
  OUTAGE,
  /** A pool's finalizer was removed while it held Nodes. */
  ORPHANED,
  /** A pool was created under the name of a deleted one. */
  POOL_RECREATED,
  /** A pool's status reported that its target exceeds the quota. */
  OVER_QUOTA,
  /** A pool's status reported too few free machines. */
  SHORT_OF_MACHINES,
  /** An assignment was cancelled before the machine had booted. */
  CANCELLED_WHILE_BOOTING,
  /** A Node was removed without a removal by the operator. */
  NODE_GONE_UNASKED,
  /** A fleet announced that it reclaims the machine of a Node without a disruption. */
  PREEMPTED,
  /** A fleet reclaimed the machine of a Node that was admitted for another cause. */
  PREEMPTED_WHILE_ADMITTED,
  /** A fleet reclaimed the machine of a Node that was being drained for another cause. */
  PREEMPTED_WHILE_DRAINING,
  /** A fleet reclaimed the machine of a Node that was being rebooted. */
  PREEMPTED_WHILE_REBOOTING,
  /** A fleet reclaimed a machine before it had joined as a Node. */
  PREEMPTED_WHILE_BOOTING,
  /** A fleet withdrew its notice while the Node was admitted for it. */
  NOTICE_WITHDRAWN_WHILE_ADMITTED,
  /** A fleet withdrew its notice while the Node was being drained for it. */
  NOTICE_WITHDRAWN_WHILE_DRAINING,
  /** The machine of a preempted Node was stopped at the end of its window, with Pods left. */
  CUT_OFF,
  /** A reboot or a verification of a machine was requested. */
  REBOOTED,
  /** A machine was asked once more, because an attempt failed. */
  REBOOT_RETRIED,
  /** A reboot was given up after its last attempt. */
  REBOOT_GIVEN_UP,
  /** A reboot was withdrawn before it was committed. */
  REBOOT_WITHDRAWN,
  /** The annotation of an immediate request that belongs to no request was removed. */
  POLICY_TAKEN_OFF,
  /** A Node left while it was being rebooted. */
  LEFT_INSTEAD_OF_REBOOT,
  /** A Host was deleted or replaced while it had a Node. */
  HOST_GONE,
  /** Another client uncordoned a Node in a disruption. */
  UNCORDONED_BY_HAND,
  /** A fleet reported a boot without an id. */
  NO_BOOT_ID,
  /** A fleet reported a reboot with the id of the previous boot. */
  BOOT_ID_REPEATED,
  /** A kubelet reported another boot long before its machine's fleet did. */
  BOOT_ID_LATE,
  /** A machine booted into another configuration than requested. */
  BOOTED_ANOTHER_CONFIGURATION,
  /** A fleet reported the verification of another boot or attempt. */
  VERIFIED_WRONGLY,
  /** A power cycle began long after the request. */
  BOOT_BEGUN_LATE,
  /** A fleet's clock was wrong. */
  FLEET_CLOCK_OFF,
  /** A Node had its turn in a rollout. */
  ROLLOUT_TURN,
  /** The turn of a Node in a rollout was taken back before it was committed. */
  ROLLOUT_TURN_TAKEN_BACK,
  /** A busy Node was drained for a rollout. */
  ROLLOUT_EVICTED,
  /** A user stopped a rollout in progress. */
  ROLLOUT_STOPPED,
  /** A rollout paused by itself. */
  ROLLOUT_PAUSED,
  /** A rollout was completed. */
  ROLLOUT_COMPLETED,
  /** A rollout waited for its canary. */
  ROLLOUT_SOAKED,
  /** Another configuration became active in the middle of a rollout. */
  ROLLED_OUT_ANEW,
  /** A pool was deleted in the middle of a rollout. */
  DELETED_WHILE_ROLLING_OUT,
  /** In a Node's turn, its fleet reclaimed the machine, or a client requested its reboot. */
  ROLLOUT_TURN_JOINED,
  /** An operator started in the middle of a rollout. */
  STARTED_WHILE_ROLLING_OUT,
  /** A configuration was disabled because its boots failed. */
  CONFIGURATION_DISABLED,
  /** The wall clock of the operator's machine was set. */
  CLOCK_SET,
  /** A client removed a user's command from a pool's status. */
  STATUS_LOST,
  /** A client replaced a pool's status by an earlier one. */
  STATUS_OLDER,
  /** A client removed the record of the last accepted command. */
  COMMAND_LOST,
  /** A client wrote the status and the annotations of another pool on a pool. */
  POOL_COPIED,
  /** A client removed the record of a Node in a disruption. */
  NODE_RECORD_LOST,
  /** A Host was created under the name of a deleted one whose Node still exists. */
  HOST_REPLACED
}
