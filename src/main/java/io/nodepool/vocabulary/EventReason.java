package io.nodepool.vocabulary;

import java.util.Set;

/**
 * The reasons of all Events that the operator emits (the contract §5, the event table of the
 * decisions). Events about a NodePool count and name the first few Nodes; Events about a Node come
 * once per occurrence.
 */
public enum EventReason {
  NODE_POOL_CREATED(
      "CWNodePoolCreated",
      EventType.NORMAL,
      Where.POOL,
      "The pool is taken over: its finalizer is written."),
  NODE_POOL_DELETED(
      "CWNodePoolDeleted",
      EventType.NORMAL,
      Where.POOL,
      "Nothing of the pool is left; its finalizer is about to go."),
  INVALID_INSTANCE_TYPE(
      "CWInvalidInstanceType",
      EventType.WARNING,
      Where.POOL,
      "The pool names an instance type that does not exist."),
  INSTANCE_TYPE_NOT_IN_ZONE(
      "CWInstanceTypeNotInZone",
      EventType.WARNING,
      Where.POOL,
      "The pool names an instance type that exists, but not in this zone."),
  OVER_QUOTA(
      "CWOverQuota",
      EventType.WARNING,
      Where.POOL,
      "The target of the pool went beyond the quota; the growth waits as a whole."),
  NODE_POOL_QUOTA_CHECK_FAILED(
      "CWNodePoolQuotaCheckFailed",
      EventType.WARNING,
      Where.POOL,
      "The quota of the pool could not be found out, or none is set."),
  INSUFFICIENT_CAPACITY(
      "CWInsufficientCapacity",
      EventType.WARNING,
      Where.POOL,
      "The fleet no longer has a machine for every Node that the pool asks for."),
  NODE_REQUEST_QUEUED(
      "CWNodeRequestQueued",
      EventType.NORMAL,
      Where.POOL,
      "A request of the pool for more Nodes is accepted."),
  NODE_POOL_NODES_REQUEST_FAILED(
      "CWNodePoolNodesRequestFailed",
      EventType.WARNING,
      Where.POOL,
      "Assigning a machine to the pool, or taking a request back, met an error; it is tried again."),
  NODE_ASSIGNED(
      "CWNodeAssigned",
      EventType.NORMAL,
      Where.POOL,
      "Machines are assigned to the pool; the message names their Nodes."),
  NODE_DELIVER_FAIL(
      "CWNodeDeliverFail",
      EventType.WARNING,
      Where.POOL,
      "An assigned machine did not boot or did not register in time."),
  NODE_REGISTERED(
      "CWNodeRegistered",
      EventType.NORMAL,
      Where.BOTH,
      "A Node joined the cluster and carries the metadata of its pool."),
  NODE_REGISTRATION_FAILED(
      "CWNodeRegistrationFailed",
      EventType.WARNING,
      Where.NODE,
      "A Node could not join the cluster; the message says why. If there is no Node object, the Event names the Node that was to be."),
  NODE_POOL_METADATA(
      "CWNodePoolMetadata",
      EventType.NORMAL,
      Where.POOL,
      "Labels, annotations or taints of the pool were brought to its Nodes."),
  NODE_POOL_SCALED_UP(
      "CWNodePoolScaledUp",
      EventType.NORMAL,
      Where.POOL,
      "The pool reached a target higher than the last one that it reached."),
  NODE_POOL_SCALED_DOWN(
      "CWNodePoolScaledDown",
      EventType.NORMAL,
      Where.POOL,
      "The pool reached a target lower than the last one that it reached."),
  NODE_POOL_REMOVE_NODES(
      "CWNodePoolRemoveNodes",
      EventType.NORMAL,
      Where.POOL,
      "The Nodes that are to go are chosen."),
  NODE_DELETION_REQUEST_SUCCESS(
      "CWNodeDeletionRequestSuccess",
      EventType.NORMAL,
      Where.POOL,
      "A client marked a Node for removal, and the mark is seen."),
  NODE_POOL_NODES_REMOVED(
      "CWNodePoolNodesRemoved", EventType.NORMAL, Where.POOL, "A batch of Nodes is removed."),
  NODE_POOL_NODES_REMOVE_ERROR(
      "CWNodePoolNodesRemoveError",
      EventType.WARNING,
      Where.POOL,
      "Writes that are to remove Nodes fail again and again; the message has an error. They are tried again."),
  DRAIN_NODE(
      "CWDrainNode",
      EventType.NORMAL,
      Where.POOL,
      "The drains of a batch of Nodes that are to go begin."),
  NODE_CORDONED(
      "CWNodeCordoned",
      EventType.NORMAL,
      Where.BOTH,
      "Automation cordoned a Node; the message says why."),
  NODE_UNCORDONED(
      "CWNodeUncordoned",
      EventType.NORMAL,
      Where.BOTH,
      "Automation lifted its cordon from a Node."),
  NODE_TAINTED(
      "CWNodeTainted",
      EventType.NORMAL,
      Where.BOTH,
      "Automation tainted a Node; the message says why."),
  NODE_UNTAINTED(
      "CWNodeUntainted", EventType.NORMAL, Where.BOTH, "Automation took its taint from a Node."),
  NODE_DRAINING(
      "CWNodeDraining", EventType.NORMAL, Where.BOTH, "Automation began to drain a Node."),
  NODE_DRAINING_PDB_VIOLATION(
      "CWNodeDrainingPDBViolation",
      EventType.WARNING,
      Where.BOTH,
      "A PodDisruptionBudget keeps Pods on a Node that is being drained."),
  NODE_DRAINING_FORCE_DELETE(
      "CWNodeDrainingForceDelete",
      EventType.WARNING,
      Where.BOTH,
      "The deadline of a drain passed, and the Pods that were left are deleted without grace."),
  NODE_MARKED_PREPARE_FOR_TERMINATE(
      "CWNodeMarkedPrepareForTerminate",
      EventType.NORMAL,
      Where.BOTH,
      "A Node is marked to prepare for its end; the message says why."),
  NODE_PREPARED_FOR_TERMINATE(
      "CWNodePreparedForTerminate",
      EventType.NORMAL,
      Where.BOTH,
      "A Node is drained and ready to go."),
  NODE_DELETED("CWNodeDeleted", EventType.NORMAL, Where.POOL, "A Node object is gone."),
  @NotActedOn
  PENDING_NODE_CONFIG(
      "CWPendingNodeConfig",
      EventType.NORMAL,
      Where.POOL,
      "status.pendingNodeConfiguration changed."),
  @NotActedOn
  NODE_CONFIG_STAGED(
      "CWNodeConfigStaged",
      EventType.NORMAL,
      Where.POOL,
      "The active configuration, status.nodeProfile, changed, for whatever cause."),
  @NotActedOn
  NODE_POOL_NODE_CONFIG_UPDATED(
      "CWNodePoolNodeConfigUpdated",
      EventType.NORMAL,
      Where.POOL,
      "The active configuration, status.nodeProfile, changed by a promotion or a rollback."),
  @NotActedOn
  MANUAL_UPGRADE_TRIGGER(
      "CWManualUpgradeTrigger",
      EventType.NORMAL,
      Where.POOL,
      "A user's request to promote the pending configuration is accepted."),
  @NotActedOn
  MANUAL_ROLLBACK_TRIGGER(
      "CWManualRollbackTrigger",
      EventType.NORMAL,
      Where.POOL,
      "A user's request to go back to an earlier configuration is accepted."),
  @NotActedOn
  NODE_POOL_NO_PENDING_CONFIGURATION(
      "CWNodePoolNoPendingConfiguration",
      EventType.WARNING,
      Where.POOL,
      "A user asked to promote the pending configuration, but there is none."),
  @NotActedOn
  NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT(
      "CWNodePoolNodeConfigUpdateConflict",
      EventType.WARNING,
      Where.POOL,
      "A user asked at once to promote the pending configuration and to go back to an earlier one; neither is done."),
  @NotActedOn
  NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED(
      "CWNodePoolNodeConfigRollbackFailed",
      EventType.WARNING,
      Where.POOL,
      "Going back to an earlier configuration failed, for instance because it is unknown."),
  @NotActedOn
  NODE_POOL_NODE_CONFIG_UPDATE_PENDING(
      "CWNodePoolNodeConfigUpdatePending",
      EventType.NORMAL,
      Where.POOL,
      "A change of the active configuration waits for Nodes that are being delivered."),
  @NotActedOn
  NODE_POOL_NODE_CONFIG_UPDATE_FAILED(
      "CWNodePoolNodeConfigUpdateFailed",
      EventType.WARNING,
      Where.POOL,
      "The fleet failed while a configuration was computed or staged; it is tried again."),
  @NotActedOn
  CONFIG_STAGED(
      "CWConfigStaged",
      EventType.NORMAL,
      Where.NODE,
      "The active configuration is staged on the Node, which takes it on when it next boots."),
  @NotActedOn
  NODE_CONFIG_STAGING_FAILED(
      "CWNodeConfigStagingFailed",
      EventType.WARNING,
      Where.NODE,
      "The active configuration could not be staged on the Node; it is tried again."),
  @NotActedOn
  RECONFIGURE_REBOOTED(
      "CWReconfigureRebooted",
      EventType.NORMAL,
      Where.NODE,
      "The Node rebooted and is now on the active configuration."),
  @NotActedOn
  NODE_POOL_DISABLED(
      "CWNodePoolDisabled",
      EventType.WARNING,
      Where.POOL,
      "A configuration of the pool is disabled, because several machines in a row failed to boot with it."),
  CHANGE_REVERTED(
      "ChangeReverted",
      EventType.WARNING,
      Where.ANYWHERE,
      "What the operator sets on the object did not stay several times in a row: another client changes it back. It is set again at growing intervals. Ours."),
  @NotActedOn
  PREEMPTION_PENDING(
      "Preemption pending",
      EventType.WARNING,
      Where.NODE,
      "The spot Node is to be reclaimed: it is cordoned, and its work has two minutes before the drain."),
  @NotActedOn
  PREEMPTION_IN_PROGRESS(
      "Preemption in progress",
      EventType.WARNING,
      Where.NODE,
      "The spot Node is being drained; it goes when that is done, at the latest seven minutes after the warning."),
  OBJECT_UNREADABLE(
      "ObjectUnreadable",
      EventType.WARNING,
      Where.BOTH,
      "What is stored of the object, or of the Node's Host, cannot be read: it is left as it is until it can. Ours."),
  @NotActedOn
  DELETED_FOR_PREEMPTION(
      "Deleted for preemption",
      EventType.WARNING,
      Where.NODE,
      "The spot Node has been reclaimed and is no longer part of the cluster.");

  /**
   * Enums hold their sets as a word of their own, since a field of an enum has to be immutable by
   * type.
   */
  private enum Where {
    NODE,
    POOL,
    BOTH,
    ANYWHERE
  }

  private final String word;
  private final EventType type;
  private final Where where;
  private final String meaning;

  EventReason(String word, EventType type, Where where, String meaning) {
    this.word = word;
    this.type = type;
    this.where = where;
    this.meaning = meaning;
  }

  /** The reason on the wire. The three of spot preemption contain blanks (T17). */
  public String word() {
    return word;
  }

  /** Normal or Warning. */
  public EventType type() {
    return type;
  }

  /** The kinds of object that carry this Event; immutable. */
  public Set<EventTarget> on() {
    return switch (where) {
      case NODE -> Set.of(EventTarget.NODE);
      case POOL -> Set.of(EventTarget.POOL);
      case BOTH -> Set.of(EventTarget.NODE, EventTarget.POOL);
      case ANYWHERE -> Set.of(EventTarget.NODE, EventTarget.POOL, EventTarget.NAMESPACE);
    };
  }

  /** What happened when this Event is seen. */
  public String meaning() {
    return meaning;
  }
}
