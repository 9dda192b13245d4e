package io.nodepool.plan.report;

import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot.RefusedAssignments;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.metadata.Metadata;
import io.nodepool.plan.node.NodeAdmission;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Computes the conditions and Events of a pool. Its Events are the difference between the published
 * status and the next one. They are emitted before the next status is written, so that a crash
 * repeats them under the same name and never loses them.
 */
public final class PoolReport {
  private static final int NAMED = 5;

  /**
   * The conditions that become Unknown when the fleet is unreachable, and whose changes are
   * reported by Events.
   */
  private static final List<PoolCondition> REMEMBERED =
      List.of(PoolCondition.VALIDATED, PoolCondition.CAPACITY, PoolCondition.QUOTA);

  private PoolReport() {}

  /**
   * The conditions for these findings; a transition time changes only with the status of its
   * condition.
   */
  public static Map<PoolCondition, Condition> conditions(
      PoolSnapshot seen, Instant now, List<Finding> findings) {
    PoolStatus published = seen.pool().status();
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    for (Finding finding : findings) {
      conditions.put(
          finding.reason().condition(),
          StatusRefusal.publishable(seen, finding.after(published, now), now));
    }
    return conditions;
  }

  /** The published conditions, with these findings in place of conditions of the same type. */
  public static Map<PoolCondition, Condition> keep(
      PoolSnapshot seen, Instant now, Finding... findings) {
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    conditions.putAll(seen.pool().status().conditions());
    // Nothing is repaired in a pool that is being deleted.
    conditions.remove(PoolCondition.REPAIRS_HELD);
    conditions.putAll(conditions(seen, now, List.of(findings)));
    return conditions;
  }

  /** The state that the next Events depend on in addition to these conditions. */
  public static EventState events(PoolSnapshot seen, Map<PoolCondition, Condition> conditions) {
    PoolStatus published = seen.pool().status();
    Map<PoolCondition, PoolReason> lastKnown = new EnumMap<>(PoolCondition.class);
    for (PoolCondition type : REMEMBERED) {
      Condition condition = conditions.get(type);
      if (condition != null && condition.reason().status() == ConditionStatus.UNKNOWN) {
        published.known(type).ifPresent(reason -> lastKnown.put(type, reason));
      }
    }
    boolean met =
        Optional.ofNullable(conditions.get(PoolCondition.AT_TARGET))
            .filter(condition -> condition.reason() == AtTargetReason.TARGET_MET)
            .isPresent();
    return new EventState(
        met ? OptionalInt.of(seen.pool().spec().target()) : reached(published),
        lastKnown,
        seen.ledger().life().seen(),
        seen.ledger().states(),
        seen.members().count(Members.Trait.REBOOT_TROUBLED));
  }

  /**
   * The target that the pool reached last. In a status that an earlier version published, only the
   * condition shows it.
   */
  private static OptionalInt reached(PoolStatus published) {
    return published.events().reachedTarget().isPresent()
            || !EventRecorder.is(published, AtTargetReason.TARGET_MET)
        ? published.events().reachedTarget()
        : OptionalInt.of(published.growth().map(Growth::target).orElse(0));
  }

  /** The Events for the difference between the published status and {@code next}. */
  public static List<EventDraft> eventDrafts(
      PoolSnapshot seen,
      PoolStatus next,
      Optional<EventReason> invalidCause,
      List<EventDraft> ofConfigurations,
      Instant now) {
    Pool pool = seen.pool();
    EventRecorder recorder = new EventRecorder(pool, pool.status(), next, new ArrayList<>());
    // A pool that holds Hosts and has no status has lost its status.
    if (pool.status().conditions().isEmpty() && seen.held() == 0) {
      recorder.emit(
          EventReason.NODE_POOL_CREATED,
          "created",
          "NodePool %s is created.".formatted(pool.id().name()));
    }
    invalidCause.ifPresent(cause -> recorder.onEntering(ValidatedReason.INVALID, cause));
    recorder.onEntering(
        ValidatedReason.NODE_CONFIG_INTERNAL_ERROR, EventReason.NODE_CONFIG_INTERNAL_ERROR);
    recorder.onEntering(QuotaReason.OVER, EventReason.OVER_QUOTA);
    recorder.onEntering(QuotaReason.NOT_SET, EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
    if (MissingHosts.of(seen).isEmpty()) {
      recorder.onEntering(QuotaReason.INTERNAL_ERROR, EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
    }
    if (next.condition(PoolCondition.AT_TARGET).isPresent()
        && (MissingHosts.of(seen).isPresent()
            || NodeAdmission.of(seen, now).isPresent()
            || RefusedAssignments.published(next).isPresent())) {
      recorder.onEntering(
          AtTargetReason.INTERNAL_ERROR, EventReason.NODE_POOL_NODES_REQUEST_FAILED);
    }
    StatusRefusal.emit(recorder, seen, now);
    metadata(seen, recorder);
    ConfigurationReport.emit(recorder, seen);
    recorder.emitted().addAll(ofConfigurations);
    recorder.onLeavingSufficient();
    next.growth().ifPresent(growth -> recorder.onGrant(growth, pool.spec().instanceType()));
    recorder.onReachingTarget(reached(pool.status()).orElse(0), pool.spec().target());
    DisruptionReport.emit(recorder, seen);
    RemovalReport.emit(recorder, seen);
    FailedRebootReport.emit(recorder);
    RepairReport.emit(recorder);
    NodeReport.emit(recorder, seen);
    NodesWithoutHost.emit(recorder, seen);
    return recorder.emitted();
  }

  /**
   * Emits a change of the Nodes' metadata before the status reports it. No Node is changed before
   * that, so all Nodes to change are known here. The Event is named after the published generation,
   * which a crash does not change.
   */
  private static void metadata(PoolSnapshot seen, EventRecorder recorder) {
    PoolStatus before = recorder.before();
    if (before.nodeMetadata().isEmpty()
        || before.nodeMetadata().equals(recorder.next().nodeMetadata())) {
      return;
    }
    List<String> names = Metadata.outdated(seen.pool(), seen.members());
    if (!names.isEmpty()) {
      recorder.emit(
          EventReason.NODE_POOL_METADATA,
          "after generation " + before.observedGeneration(),
          "Bringing the labels, annotations and taints of the spec to %s: %s."
              .formatted(Messages.count(names.size(), "Node"), Messages.list(names, NAMED)),
          names.size());
    }
    NodeReport.taints(recorder, seen);
  }
}
