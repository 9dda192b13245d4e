package io.nodepool.vocabulary;

import java.util.Optional;
import java.util.Set;

/**
 * The reasons of all Events that the operator emits (contract §5, the event table of the
 * decisions). An Event about a NodePool counts the Nodes and names the first few; an Event about a
 * Node is emitted once per occurrence.
 */
public enum EventReason {
  NODE_POOL_CREATED(
      "CWNodePoolCreated", "The operator manages the pool: its finalizer is written."),
  NODE_POOL_DELETED(
      "CWNodePoolDeleted",
      "No Node and no machine of the pool is left; its finalizer is removed next."),
  INVALID_INSTANCE_TYPE(
      warning("CWInvalidInstanceType", EventTarget.POOL),
      "The pool names an instance type that does not exist."),
  INSTANCE_TYPE_NOT_IN_ZONE(
      warning("CWInstanceTypeNotInZone", EventTarget.POOL),
      "The pool names an instance type that exists, but not in this zone."),
  OVER_QUOTA(
      warning("CWOverQuota", EventTarget.POOL),
      "The target of the pool exceeds the quota; the growth waits as a whole."),
  NODE_POOL_QUOTA_CHECK_FAILED(
      warning("CWNodePoolQuotaCheckFailed", EventTarget.POOL),
      "The quota of the pool could not be read, or none is set."),
  INSUFFICIENT_CAPACITY(
      warning("CWInsufficientCapacity", EventTarget.POOL),
      "The fleet no longer has a machine for every Node that the pool requests."),
  NODE_REQUEST_QUEUED("CWNodeRequestQueued", "A request of the pool for more Nodes is accepted."),
  NODE_POOL_NODES_REQUEST_FAILED(
      warning("CWNodePoolNodesRequestFailed", EventTarget.POOL),
      "Assigning a machine to the pool, or cancelling an assignment, failed; it is retried."),
  NODE_ASSIGNED(
      "CWNodeAssigned", "Machines are assigned to the pool; the message names their Nodes."),
  NODE_DELIVER_FAIL(
      warning("CWNodeDeliverFail", EventTarget.POOL),
      "An assigned machine did not boot or did not register in time."),
  NODE_REGISTERED(
      normal("CWNodeRegistered", EventTarget.NODE, EventTarget.POOL),
      "A Node joined the cluster and carries the metadata of its pool."),
  NODE_REGISTRATION_FAILED(
      warning("CWNodeRegistrationFailed", EventTarget.NODE),
      "A Node could not join the cluster, or its registration is refused or keeps failing; the message contains the cause. If the Node object does not exist, the Event names the Node that the machine was expected to join as."),
  NODE_POOL_METADATA(
      "CWNodePoolMetadata",
      "Labels, annotations or taints of the pool's spec are applied to its Nodes."),
  NODE_POOL_SCALED_UP(
      "CWNodePoolScaledUp",
      "The pool reached a target higher than the last one reached, or the same again after Nodes were missing."),
  NODE_POOL_SCALED_DOWN(
      "CWNodePoolScaledDown", "The pool reached a target lower than the last one reached."),
  NODE_POOL_REMOVE_NODES("CWNodePoolRemoveNodes", "The Nodes to remove are chosen."),
  NODE_DELETION_REQUEST_SUCCESS(
      "CWNodeDeletionRequestSuccess",
      "A client requested the removal of a Node, and the request is recorded."),
  NODE_POOL_NODES_REMOVED(
      "CWNodePoolNodesRemoved", "Nodes are removed; one Event for each batch, whose count grows."),
  NODE_POOL_NODES_REMOVE_ERROR(
      warning("CWNodePoolNodesRemoveError", EventTarget.POOL),
      "Writes that remove Nodes keep failing; the message contains an error. They are retried."),
  NODE_POOL_NODES_REBOOT_ERROR(
      warning("CWNodePoolNodesRebootError", EventTarget.POOL),
      "Writes that reboot or verify Nodes keep failing; the message contains an error. They are retried. Specific to this operator."),
  DRAIN_NODE("CWDrainNode", "The drain of a batch of Nodes begins."),
  NODE_ALERT_TRIGGERED(
      warning("CWNodeAlertTriggered", EventTarget.NODE),
      "An alert about the machine of the Node stands. Specific to this operator."),
  NODE_ALERT_ENDED(
      normal("CWNodeAlertEnded", EventTarget.NODE),
      "An alert about the machine of the Node is over. Specific to this operator."),
  NODE_CORDONED(
      normal("CWNodeCordoned", EventTarget.NODE, EventTarget.POOL),
      "Automation cordoned a Node; the message contains the cause."),
  NODE_UNCORDONED(
      normal("CWNodeUncordoned", EventTarget.NODE, EventTarget.POOL),
      "Automation uncordoned a Node that it had cordoned."),
  NODE_TAINTED(
      normal("CWNodeTainted", EventTarget.NODE, EventTarget.POOL),
      "Automation tainted a Node; the message contains the cause."),
  NODE_UNTAINTED(
      normal("CWNodeUntainted", EventTarget.NODE, EventTarget.POOL),
      "Automation removed its taint from a Node."),
  NODE_DRAINING(
      normal("CWNodeDraining", EventTarget.NODE, EventTarget.POOL),
      "Automation began to drain a Node."),
  NODE_DRAINING_PDB_VIOLATION(
      warning("CWNodeDrainingPDBViolation", EventTarget.NODE, EventTarget.POOL),
      "A PodDisruptionBudget blocks the eviction of Pods from a Node that is being drained."),
  NODE_DRAINING_FORCE_DELETE(
      warning("CWNodeDrainingForceDelete", EventTarget.NODE, EventTarget.POOL),
      "The deadline of a drain passed, and the remaining Pods are deleted regardless of PodDisruptionBudgets."),
  NODE_MARKED_PREPARE_FOR_TERMINATE(
      normal("CWNodeMarkedPrepareForTerminate", EventTarget.NODE, EventTarget.POOL),
      "A Node is marked for termination; the message contains the cause."),
  NODE_PREPARED_FOR_TERMINATE(
      normal("CWNodePreparedForTerminate", EventTarget.NODE, EventTarget.POOL),
      "A Node is drained and ready for termination."),
  NODE_DELETED("CWNodeDeleted", "A Node object was deleted."),
  PENDING_NODE_CONFIG("CWPendingNodeConfig", "status.pendingNodeConfiguration changed."),
  NODE_CONFIG_STAGED(
      "CWNodeConfigStaged",
      "The active configuration, status.nodeProfile, changed, for whatever cause."),
  NODE_POOL_NODE_CONFIG_UPDATED(
      "CWNodePoolNodeConfigUpdated",
      "The active configuration, status.nodeProfile, changed by a promotion or a rollback."),
  MANUAL_UPGRADE_TRIGGER(
      "CWManualUpgradeTrigger",
      "A user's request to promote the pending configuration is accepted."),
  MANUAL_ROLLBACK_TRIGGER(
      "CWManualRollbackTrigger",
      "A user's request to roll back to an earlier configuration is accepted."),
  NODE_POOL_NO_PENDING_CONFIGURATION(
      warning("CWNodePoolNoPendingConfiguration", EventTarget.POOL),
      "A user requested the promotion of the pending configuration, but there is none."),
  NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT(
      warning("CWNodePoolNodeConfigUpdateConflict", EventTarget.POOL),
      "A user requested a promotion of the pending configuration and a rollback at the same time; neither is done."),
  NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED(
      warning("CWNodePoolNodeConfigRollbackFailed", EventTarget.POOL),
      "The rollback to an earlier configuration failed, for instance because that configuration is unknown."),
  NODE_POOL_NODE_CONFIG_UPDATE_PENDING(
      "CWNodePoolNodeConfigUpdatePending",
      "A change of the active configuration waits for Nodes that are being delivered."),
  NODE_POOL_NODE_CONFIG_UPDATE_FAILED(
      warning("CWNodePoolNodeConfigUpdateFailed", EventTarget.POOL),
      "The change to the active configuration fails for an internal reason: boots of machines into it fail, or it could not be staged on Nodes. It is retried."),
  NODE_POOL_REQUEST_REFUSED(
      warning("CWNodePoolRequestRefused", EventTarget.POOL),
      "A user's command about the configurations of the pool has none of the values of its annotation, or the record of the last command cannot be read; nothing is done. Specific to this operator."),
  CONFIG_STAGED(
      normal("CWConfigStaged", EventTarget.NODE),
      "The active configuration is staged on the Node, which uses it from its next boot."),
  CONFIG_UNSTAGED(
      normal("CWConfigUnstaged", EventTarget.NODE),
      "A configuration that was staged on the Node is staged no longer, and the Node boots another one next; the message contains the cause. Specific to this operator."),
  NODE_CONFIG_INTERNAL_ERROR(
      warning("CWNodeConfigInternalError", EventTarget.POOL),
      "The fleet does not offer the active configuration, or not all of its parts together: Validated becomes NodeConfigInternalError."),
  NODE_CONFIG_STAGING_FAILED(
      warning("CWNodeConfigStagingFailed", EventTarget.NODE),
      "The active configuration could not be staged on the Node; it is retried."),
  RECONFIGURE_REBOOTED(
      normal("CWReconfigureRebooted", EventTarget.NODE),
      "The Node rebooted into the active configuration."),
  NODE_POOL_DISABLED(
      warning("CWNodePoolDisabled", EventTarget.POOL),
      "A configuration of the pool is disabled, because several consecutive machines failed to boot with it."),
  NODE_POOL_ROLLOUT_STARTED(
      "CWNodePoolRolloutStarted",
      "A user started a rollout of the active configuration. Specific to this operator."),
  NODE_POOL_ROLLOUT_PAUSED(
      warning("CWNodePoolRolloutPaused", EventTarget.POOL),
      "A rollout paused by itself, after failures; the message contains the cause. Specific to this operator."),
  NODE_POOL_ROLLOUT_CONTINUED(
      "CWNodePoolRolloutContinued",
      "A rollout that was stopped or paused continues: a user started it again, or another configuration became active. Specific to this operator."),
  NODE_POOL_ROLLOUT_COMPLETE(
      "CWNodePoolRolloutComplete",
      "A rollout is complete: all Nodes of the pool are up to date. Specific to this operator."),
  NODE_POOL_ROLLOUT_STOPPED(
      "CWNodePoolRolloutStopped", "A user stopped a rollout. Specific to this operator."),
  NODE_POOL_STATUS_REFUSED(
      warning("CWNodePoolStatusRefused", EventTarget.POOL),
      "The API server refuses the status of the pool because of a text in it; the status is published without that text. Specific to this operator."),
  NODE_POOL_CONFIGURATIONS_LOST(
      warning("CWNodePoolConfigurationsLost", EventTarget.POOL),
      "The record of the pool's configurations was lost from its status: the configuration that most of its Hosts booted is active, no command is carried out, and a rollout is stopped. Specific to this operator."),
  CHANGE_REVERTED(
      warning("ChangeReverted", EventTarget.NODE, EventTarget.POOL, EventTarget.NAMESPACE),
      "A change that the operator makes to the object was reverted several times in a row by another client. It is made again at growing intervals. Specific to this operator."),
  PREEMPTION_PENDING(
      warning("Preemption pending", EventTarget.NODE),
      "The spot Node will be reclaimed: it is cordoned, and its work has two minutes before the drain."),
  PREEMPTION_IN_PROGRESS(
      warning("Preemption in progress", EventTarget.NODE),
      "The spot Node is being drained; it is removed when the drain is complete, at the latest seven minutes after the warning."),
  NODE_REBOOTING(
      normal("CWNodeRebooting", EventTarget.NODE),
      "The Node is idle or drained, and its machine is rebooted, or verified. Specific to this operator."),
  NODE_REBOOTED(
      normal("CWNodeRebooted", EventTarget.NODE),
      "The machine was rebooted, and verified if its fleet does that, and the Node is back in production. Specific to this operator."),
  NODE_VERIFIED(
      normal("CWNodeVerified", EventTarget.NODE),
      "The machine was verified, which was all that was requested, and the Node is back in production. Specific to this operator."),
  NODE_NOT_VERIFIED(
      warning("CWNodeNotVerified", EventTarget.NODE),
      "The machine did not pass the verification for an alert, or did not answer it in time. The message says whether it is repaired or back in production. Specific to this operator."),
  NODE_VERIFICATION_JOB_REFUSED(
      warning("CWNodeVerificationJobRefused", EventTarget.NODE),
      "The machine was repaired, and the Job of its pool that is to verify it cannot be created, since its ConfigMap does not exist or has no valid Job. The Node stays cordoned until that is corrected. Specific to this operator."),
  NODE_VERIFICATION_JOB_LOST(
      warning("CWNodeVerificationJobLost", EventTarget.NODE),
      "The machine was repaired, and the Job that is to verify it was deleted before its end was read, so it is created again: at most three times, then once an hour. Someone deletes Jobs in the Namespace for them. Specific to this operator."),
  NODE_REBOOT_RETRIED(
      warning("CWNodeRebootRetried", EventTarget.NODE),
      "The machine did not boot, or did not pass its verification, and is rebooted once more. Specific to this operator."),
  NODE_REBOOT_FAILED(
      warning("CWNodeRebootFailed", EventTarget.NODE, EventTarget.POOL),
      "The machine did not come back from its reboot in any attempt: its Node leaves, its Host is set aside, and the pool gets another one. Specific to this operator."),
  NODE_REQUEST_REFUSED(
      warning("CWNodeRequestRefused", EventTarget.NODE),
      "The state that a client requested for the Node is unknown, or its fleet cannot bring the machine into it; or what a client asked for came after the disruption was committed; or it is withdrawn, since another client uncordoned the Node; or the annotation nodepool.io/reboot-policy belongs to no request and was taken off. Specific to this operator."),
  FAILED_REBOOTS_HELD(
      warning("CWNodePoolFailedRebootsHeld", EventTarget.POOL),
      "Several Nodes in a row did not come back from their reboots and left: no other one leaves for that until a person releases it. Specific to this operator."),
  FAILED_REBOOTS_RELEASED(
      "CWNodePoolFailedRebootsReleased",
      "A person released Nodes that did not come back from their reboots: they may leave. Specific to this operator."),
  NODE_COMPONENT_REPAIR(
      warning("CWNodeComponentRepair", EventTarget.NODE),
      "An alert stands about the machine for which its fleet is asked to repair a component, such as its DPU, while the Node stays in use. Specific to this operator."),
  NODE_PRESERVED(
      normal("CWNodePreserved", EventTarget.NODE, EventTarget.POOL),
      "The Node was taken out of service and is drained; its machine is kept for inspection, and its pool gets another one. Specific to this operator."),
  ALERT_SUSPECTED(
      warning("CWNodePoolAlertSuspected", EventTarget.POOL),
      "An alert is in doubt, since it stands on many Nodes or since work on several was ended for it: a machine is verified before anything is done for it. The verdict is told with the same reason. Specific to this operator."),
  RACK_ALERT_TRIGGERED(
      warning("CWNodePoolRackAlertTriggered", EventTarget.POOL),
      "The operator finds an alert about a rack in which the pool has machines: a person has to act. Specific to this operator."),
  RACK_ALERT_ENDED(
      "CWNodePoolRackAlertEnded",
      "Such an alert is over, or the pool has no machine in the rack any more. Specific to this operator."),
  REPAIRS_HELD(
      warning("CWNodePoolRepairsHeld", EventTarget.POOL),
      "Repairs begin to be held by something else than their pace, as the condition RepairsHeld says; an alert that is suspected has its own Event. Specific to this operator."),
  NODE_WITHOUT_HOST(
      warning("CWNodeWithoutHost", EventTarget.POOL),
      "The Hosts of Nodes were deleted while work ran there: the Nodes no longer count and are removed once their work ends. Specific to this operator."),
  OBJECT_UNREADABLE(
      warning("ObjectUnreadable", EventTarget.NODE, EventTarget.POOL),
      "The stored object, or the Node's Host, cannot be read: it is not changed until it can be read. Specific to this operator."),
  DELETED_FOR_PREEMPTION(
      warning("Deleted for preemption", EventTarget.NODE),
      "The spot Node has been reclaimed and is no longer part of the cluster."),
  OLDEST_NODE_ACTIVE(
      normal("NodeCWActive", EventTarget.NODE),
      "CWActive of a Node was set for the first time, or its status changed; the message contains its text."),
  OLDEST_NODE_REGISTERED("CWNodeRegisteredEvent", NODE_REGISTERED, EventTarget.NODE),
  OLDEST_REGISTRATION_FAILED(
      "CWRegistrationFailedEvent", NODE_REGISTRATION_FAILED, EventTarget.NODE),
  OLDEST_REMOVE_NODES("NodePoolRemoveNodes", NODE_POOL_REMOVE_NODES, EventTarget.POOL),
  OLDEST_NODES_REMOVE_ERROR(
      "NodePoolNodesRemoveError", NODE_POOL_NODES_REMOVE_ERROR, EventTarget.POOL),
  OLDEST_NODES_REQUESTED("NodePoolNodesRequested", NODE_REQUEST_QUEUED, EventTarget.POOL),
  OLDEST_METADATA("NodePoolMetadata", NODE_POOL_METADATA, EventTarget.POOL),
  OLDEST_NODES_ALLOCATED("NodePoolNodesAllocated", NODE_REGISTERED, EventTarget.POOL),
  OLDEST_NODES_REMOVED("NodePoolNodesRemoved", NODE_POOL_NODES_REMOVED, EventTarget.POOL),
  OLDEST_REQUEST_FAILED(
      "NodePoolNodesRequestFailed", NODE_POOL_NODES_REQUEST_FAILED, EventTarget.POOL),
  OLDEST_INVALID_INSTANCE_TYPE("InvalidInstanceType", INVALID_INSTANCE_TYPE, EventTarget.POOL),
  OLDEST_TYPE_NOT_IN_ZONE("InstanceTypeNotInZone", INSTANCE_TYPE_NOT_IN_ZONE, EventTarget.POOL),
  OLDEST_QUOTA_CHECK_FAILED(
      "NodePoolQuotaCheckFailed", NODE_POOL_QUOTA_CHECK_FAILED, EventTarget.POOL),
  OLDEST_OVER_QUOTA("NPOCWOverQuota", OVER_QUOTA, EventTarget.POOL);

  /**
   * How an Event appears: its reason on the wire, its type, and the kinds of object it is about.
   */
  private record Form(String word, EventType type, Set<EventTarget> on) {}

  private final Form form;
  private final String meaning;
  private final Optional<EventReason> beside;

  /** A normal Event about pools. */
  EventReason(String word, String meaning) {
    this(normal(word, EventTarget.POOL), meaning);
  }

  EventReason(Form form, String meaning) {
    this.form = form;
    this.meaning = meaning;
    this.beside = Optional.empty();
  }

  /** An Event of the oldest reference, emitted beside an Event of a newer reference. */
  EventReason(String word, EventReason beside, EventTarget on) {
    this.form = new Form(word, beside.type(), Set.of(on));
    this.meaning = "Emitted with " + beside.word() + ".";
    this.beside = Optional.of(beside);
  }

  private static Form normal(String word, EventTarget... on) {
    return new Form(word, EventType.NORMAL, Set.of(on));
  }

  private static Form warning(String word, EventTarget... on) {
    return new Form(word, EventType.WARNING, Set.of(on));
  }

  /** The reason on the wire. The three reasons of spot preemption contain blanks (T17). */
  public String word() {
    return form.word();
  }

  /** Normal or Warning. */
  public EventType type() {
    return form.type();
  }

  /** The kinds of object that this Event is about; immutable. */
  public Set<EventTarget> on() {
    return form.on();
  }

  /**
   * The Event with which an Event of the oldest reference is emitted; empty for NodeCWActive and
   * newer Events.
   */
  public Optional<EventReason> beside() {
    return beside;
  }

  /** What the Event reports. */
  public String meaning() {
    return meaning;
  }
}
