package io.nodepool.world.check.truth;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.util.List;
import java.util.stream.Stream;

/**
 * The texts that may be emitted for each reason of an Event, each with its check. A reason without
 * an entry is one that only some causes have, and has its texts there; a text without one is a
 * violation.
 */
final class EventWordings {
  private EventWordings() {}

  /** The texts of this reason; the first one whose form a text has is the one that counts. */
  static List<Wording> of(EventReason reason, Causes causes) {
    return switch (reason) {
      case NODE_POOL_CREATED -> List.of(PoolWordings.CREATED);
      case NODE_POOL_DELETED -> List.of(PoolWordings.DELETED);
      case INVALID_INSTANCE_TYPE -> SpecWordings.INVALID;
      case INSTANCE_TYPE_NOT_IN_ZONE -> SpecWordings.INVALID;
      case OVER_QUOTA -> PoolConditionWordings.OVER_QUOTA;
      case NODE_POOL_QUOTA_CHECK_FAILED -> PoolConditionWordings.QUOTA_NOT_KNOWN;
      case INSUFFICIENT_CAPACITY -> PoolConditionWordings.SHORTAGE;
      case NODE_REQUEST_QUEUED -> List.of(PoolWordings.REQUESTED);
      case NODE_POOL_NODES_REQUEST_FAILED -> PoolWordings.requestFailed();
      case NODE_POOL_STATUS_REFUSED -> List.of(PoolWordings.STATUS_REFUSED);
      case NODE_POOL_CONFIGURATIONS_LOST -> List.of(ConfigurationWordings.LOST);
      case NODE_ASSIGNED -> PoolWordings.ASSIGNED;
      case NODE_DELIVER_FAIL -> List.of(PoolWordings.NOT_DELIVERED);
      case NODE_REGISTERED -> PoolWordings.REGISTERED;
      case NODE_REGISTRATION_FAILED -> PoolWordings.NOT_REGISTERED;
      case NODE_POOL_METADATA -> List.of(PoolWordings.METADATA);
      case NODE_POOL_SCALED_UP, NODE_POOL_SCALED_DOWN -> List.of(PoolWordings.AT_TARGET);
      case NODE_POOL_REMOVE_NODES -> RemovalWordings.CHOSEN;
      case NODE_DELETION_REQUEST_SUCCESS -> RemovalWordings.REQUESTED;
      case NODE_POOL_NODES_REMOVED -> RemovalWordings.REMOVED;
      case NODE_POOL_NODES_REMOVE_ERROR -> List.of(RemovalWordings.NOT_REMOVED);
      case NODE_POOL_NODES_REBOOT_ERROR -> List.of(RemovalWordings.NOT_REBOOTED);
      case DRAIN_NODE -> DrainWordings.OF_POOL;
      case NODE_ALERT_TRIGGERED -> HealthWordings.TRIGGERED;
      case NODE_ALERT_ENDED -> List.of(HealthWordings.ENDED);
      case NODE_CORDONED -> DrainWordings.CORDONED;
      case NODE_UNCORDONED -> DrainWordings.UNCORDONED;
      case NODE_TAINTED, NODE_UNTAINTED -> PoolWordings.TAINTED;
      case NODE_DRAINING -> DrainWordings.DRAINING;
      case NODE_DRAINING_PDB_VIOLATION -> DrainWordings.BLOCKED;
      case NODE_DRAINING_FORCE_DELETE -> DrainWordings.FORCED;
      case NODE_MARKED_PREPARE_FOR_TERMINATE -> RemovalWordings.MARKED;
      case NODE_PREPARED_FOR_TERMINATE -> RemovalWordings.PREPARED;
      case NODE_DELETED -> RemovalWordings.DELETED;
      case NODE_WITHOUT_HOST -> List.of(PoolWordings.WITHOUT_HOST);
      case OBJECT_UNREADABLE -> PoolWordings.UNREADABLE;
      case CHANGE_REVERTED -> PoolWordings.REVERTED;
      case OLDEST_OVER_QUOTA -> List.of(OldestWordings.OVER_QUOTA);
      case OLDEST_NODE_ACTIVE -> OldestWordings.ACTIVE;
      default -> ofConfiguration(reason, causes);
    };
  }

  private static List<Wording> ofConfiguration(EventReason reason, Causes causes) {
    return switch (reason) {
      case PENDING_NODE_CONFIG -> List.of(ConfigurationWordings.PENDING);
      case NODE_CONFIG_STAGED -> List.of(ConfigurationWordings.ACTIVE);
      case NODE_POOL_NODE_CONFIG_UPDATED -> List.of(ConfigurationWordings.CHANGED);
      case MANUAL_UPGRADE_TRIGGER -> ConfigurationWordings.PROMOTED;
      case MANUAL_ROLLBACK_TRIGGER -> ConfigurationWordings.ROLLED_BACK;
      case NODE_POOL_NO_PENDING_CONFIGURATION -> List.of(ConfigurationWordings.NOTHING_PENDING);
      case NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT -> List.of(ConfigurationWordings.CONFLICT);
      case NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED -> List.of(ConfigurationWordings.NOT_ROLLED_BACK);
      case NODE_POOL_NODE_CONFIG_UPDATE_PENDING -> List.of(ConfigurationWordings.WAITS);
      case NODE_POOL_NODE_CONFIG_UPDATE_FAILED -> ConfigurationWordings.NOT_UPDATED;
      case NODE_POOL_REQUEST_REFUSED -> ConfigurationWordings.REFUSED;
      case NODE_POOL_ROLLOUT_STARTED -> List.of(RolloutWordings.STARTED);
      case NODE_POOL_ROLLOUT_PAUSED -> List.of(RolloutWordings.PAUSED);
      case NODE_POOL_ROLLOUT_CONTINUED -> RolloutWordings.CONTINUED;
      case NODE_POOL_ROLLOUT_COMPLETE -> List.of(RolloutWordings.COMPLETE);
      case NODE_POOL_ROLLOUT_STOPPED -> List.of(RolloutWordings.STOPPED);
      case NODE_CONFIG_INTERNAL_ERROR -> ConfigurationWordings.MISSING;
      case CONFIG_UNSTAGED -> List.of(ConfigurationWordings.UNSTAGED);
      case CONFIG_STAGED -> List.of(ConfigurationWordings.STAGED);
      case NODE_CONFIG_STAGING_FAILED -> List.of(ConfigurationWordings.NOT_STAGED);
      case RECONFIGURE_REBOOTED -> RebootWordings.RECONFIGURED;
      case NODE_POOL_DISABLED -> List.of(ConfigurationWordings.DISABLED);
      default -> ofRepair(reason, causes);
    };
  }

  private static List<Wording> ofRepair(EventReason reason, Causes causes) {
    return switch (reason) {
      case NODE_REBOOTING -> RebootWordings.REBOOTING;
      case NODE_REBOOTED -> RebootWordings.REBOOTED;
      case NODE_VERIFIED -> List.of(RebootWordings.VERIFIED);
      case NODE_NOT_VERIFIED -> List.of(RebootWordings.NOT_VERIFIED, RebootWordings.NOT_VERIFIABLE);
      case NODE_VERIFICATION_JOB_REFUSED -> List.of(RebootWordings.JOB_REFUSED);
      case NODE_VERIFICATION_JOB_LOST -> List.of(RebootWordings.JOB_LOST);
      case NODE_REBOOT_RETRIED -> List.of(RebootWordings.RETRIED);
      case NODE_REBOOT_FAILED -> RebootWordings.FAILED;
      case NODE_REQUEST_REFUSED -> RebootWordings.REFUSED;
      case NODE_COMPONENT_REPAIR -> List.of(HealthWordings.COMPONENT);
      case ALERT_SUSPECTED -> HealthWordings.SUSPECTED;
      case RACK_ALERT_TRIGGERED -> List.of(HealthWordings.RACK_TRIGGERED);
      case RACK_ALERT_ENDED -> List.of(HealthWordings.RACK_ENDED);
      case REPAIRS_HELD ->
          Stream.of(RepairsHeldReason.values())
              .flatMap(held -> HealthWordings.held(held).stream())
              .toList();
      case FAILED_REBOOTS_HELD -> List.of(RebootWordings.HELD);
      case FAILED_REBOOTS_RELEASED -> List.of(RebootWordings.RELEASED);
      default ->
          reason.beside().map(each -> of(each, causes)).orElseGet(() -> causes.events(reason));
    };
  }
}
