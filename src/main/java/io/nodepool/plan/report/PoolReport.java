package io.nodepool.plan.report;

import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.node.Metadata;
import io.nodepool.plan.node.NodeAdmission;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolReason;
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
 * What is said about a pool. Its events are the difference between the status that stands on the
 * object and the next one: they are told before that one is written, so a crash repeats them under
 * the same name and never loses them.
 */
public final class PoolReport {
  private static final int NAMED = 5;

  /** The conditions that an unreachable fleet makes Unknown, and whose changes are told. */
  private static final List<PoolCondition> REMEMBERED =
      List.of(PoolCondition.VALIDATED, PoolCondition.CAPACITY, PoolCondition.QUOTA);

  private PoolReport() {}

  /** Conditions from findings; transition times follow those of the published ones. */
  public static Map<PoolCondition, Condition> conditions(
      PoolStatus published, Instant now, Finding... findings) {
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    for (Finding finding : findings) {
      Condition next = finding.at(now);
      PoolCondition type = finding.reason().condition();
      conditions.put(type, published.condition(type).map(next::following).orElse(next));
    }
    return conditions;
  }

  /** The published conditions, with these findings in place of their own. */
  public static Map<PoolCondition, Condition> keep(
      PoolStatus published, Instant now, Finding... findings) {
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    conditions.putAll(published.conditions());
    conditions.putAll(conditions(published, now, findings));
    return conditions;
  }

  /** What the Events that come after these conditions depend on besides. */
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
        seen.ledger().seen());
  }

  /** A status that an earlier version published says so by its condition only. */
  private static OptionalInt reached(PoolStatus published) {
    return published.events().reachedTarget().isPresent()
            || !EventRecorder.is(published, PoolCondition.AT_TARGET, AtTargetReason.TARGET_MET)
        ? published.events().reachedTarget()
        : OptionalInt.of(published.growth().map(Growth::target).orElse(0));
  }

  /** The events that lie between the published status and {@code next}. */
  public static List<EventDraft> eventDrafts(
      PoolSnapshot seen, PoolStatus next, Optional<EventReason> invalidCause, Instant now) {
    Pool pool = seen.pool();
    EventRecorder recorder = new EventRecorder(pool, pool.status(), next, new ArrayList<>());
    if (pool.status().conditions().isEmpty()) {
      recorder.emit(
          EventReason.NODE_POOL_CREATED,
          "created",
          "NodePool %s is created.".formatted(pool.id().name()),
          1);
    }
    invalidCause.ifPresent(
        cause -> recorder.onEntering(PoolCondition.VALIDATED, ValidatedReason.INVALID, cause));
    recorder.onEntering(PoolCondition.QUOTA, QuotaReason.OVER, EventReason.OVER_QUOTA);
    recorder.onEntering(
        PoolCondition.QUOTA, QuotaReason.NOT_SET, EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
    recorder.onFailedQuotaCheck();
    if (next.condition(PoolCondition.AT_TARGET).isPresent()
        && NodeAdmission.of(seen, now).isPresent()) {
      recorder.onEntering(
          PoolCondition.AT_TARGET,
          AtTargetReason.INTERNAL_ERROR,
          EventReason.NODE_POOL_NODES_REQUEST_FAILED);
    }
    metadata(seen, recorder);
    growth(seen, recorder);
    recorder.onReachingTarget(reached(pool.status()).orElse(0), pool.spec().target());
    RemovalReport.emit(recorder, seen);
    NodeReport.emit(recorder, seen);
    return recorder.emitted();
  }

  /**
   * Told before the status says so, and no Node is changed before that: so all that are to be
   * brought there are seen here. Named after what stands on the object, which a crash does not
   * change.
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

  private static void growth(PoolSnapshot seen, EventRecorder recorder) {
    PoolStatus before = recorder.before();
    PoolStatus next = recorder.next();
    recorder.onLeavingSufficient();
    if (next.growth().isEmpty()) {
      return;
    }
    Growth growth = next.growth().get();
    recorder.onGrant(growth, seen.pool().spec().instanceType());
    if (next.held() > before.held()) {
      recorder.assigned(seen.members());
    }
  }
}
