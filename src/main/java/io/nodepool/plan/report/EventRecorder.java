package io.nodepool.plan.report;

import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.util.List;
import java.util.Optional;

/** Collects the Events of one status change. */
record EventRecorder(Pool pool, PoolStatus before, PoolStatus next, List<EventDraft> emitted) {
  /** Emits an Event about one occurrence. */
  void emit(EventReason reason, String occasion, String message) {
    emit(reason, occasion, message, 1);
  }

  void emit(EventReason reason, String occasion, String message, int count) {
    emitted.add(
        new EventDraft(reason, EventDraft.Regarding.of(pool.id()), occasion, message, count));
  }

  /**
   * Whether the condition has this reason now and did not have it before. A reason from before the
   * condition became Unknown still counts.
   */
  boolean entered(PoolReason reason) {
    return is(next, reason)
        && !is(before, reason)
        && !before.known(reason.condition()).equals(Optional.of(reason));
  }

  /** Whether the condition has this reason. */
  static boolean is(PoolStatus status, PoolReason reason) {
    return status.condition(reason.condition()).filter(c -> c.reason() == reason).isPresent();
  }

  void onEntering(PoolReason reason, EventReason event) {
    if (entered(reason)) {
      emit(event, reason.condition());
    }
  }

  /** Emits the present message of the condition. */
  private void emit(EventReason event, PoolCondition type) {
    emit(event, occasion(type), next.condition(type).orElseThrow().message());
  }

  /** Identifies an occurrence by the previous reason of the condition and its transition time. */
  private String occasion(PoolCondition type) {
    return before
        .condition(type)
        .map(condition -> condition.reason().word() + " since " + condition.since())
        .orElse("first");
  }

  /**
   * Emits that the capacity became insufficient. A capacity that could not be read does not count
   * as insufficient, and an unreadable capacity in between keeps its last known reason. While the
   * spec is invalid, and while the pool is being deleted, the capacity is not checked.
   */
  void onLeavingSufficient() {
    boolean wasSufficient =
        is(before, ValidatedReason.INVALID)
            || before
                .known(PoolCondition.CAPACITY)
                .map(reason -> reason == CapacityReason.SUFFICIENT)
                .orElse(true);
    next.condition(PoolCondition.CAPACITY)
        .filter(condition -> wasSufficient)
        .filter(condition -> condition.reason().status() == ConditionStatus.FALSE)
        .ifPresent(_ -> emit(EventReason.INSUFFICIENT_CAPACITY, PoolCondition.CAPACITY));
  }

  /**
   * The Event is named after the published request, not the new one, whose instant a crash would
   * change.
   */
  void onGrant(Growth growth, String instanceType) {
    // After its status was lost, a pool requests its present size anew.
    int grantedBefore = before.growth().map(Growth::granted).orElse(next.held());
    int increment = growth.granted() - grantedBefore;
    if (increment > 0) {
      String last = before.growth().map(asked -> asked.askedAt().toString()).orElse("first");
      emit(
          EventReason.NODE_REQUEST_QUEUED,
          "after " + last + "/" + grantedBefore,
          "Requested %s of type %s, to reach %d."
              .formatted(Messages.count(increment, "Node"), instanceType, growth.granted()),
          increment);
    }
  }

  /**
   * Emits that a target is reached: a new target, or the last one again after Nodes were missing.
   * The Event is named after the published condition, because a new target may be met at once.
   *
   * @param last the target that was reached before; 0 if none was
   */
  void onReachingTarget(int last, int target) {
    boolean missed = before.currentNodes() < target;
    if ((target == last && !missed)
        || !is(next, AtTargetReason.TARGET_MET)
        || before.condition(PoolCondition.AT_TARGET).isEmpty()) {
      return;
    }
    emit(
        target < last ? EventReason.NODE_POOL_SCALED_DOWN : EventReason.NODE_POOL_SCALED_UP,
        occasion(PoolCondition.AT_TARGET) + "/" + target,
        "NodePool %s has reached its target of %s."
            .formatted(pool.id().name(), Messages.count(target, "Node")));
  }
}
