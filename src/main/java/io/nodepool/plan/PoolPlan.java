package io.nodepool.plan;

import io.nodepool.model.pool.PoolStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The plan of one pool: the actions to submit now, the status to publish, and the Events to emit.
 *
 * @param plannedActions actions on Hosts, in order
 * @param status the status to publish; equal to the published one if nothing changed
 * @param eventDrafts the Events that announce the change from the published status to this one
 * @param askIfEmpty whether a live list is needed before the pool's finalizer may be removed
 * @param complete whether no Host and no Node of the pool is left, so that its finalizer may be
 *     removed once this status is published
 * @param wakeup when to plan again if nothing changes
 */
@RecordBuilder
public record PoolPlan(
    List<PlannedAction> plannedActions,
    PoolStatus status,
    List<EventDraft> eventDrafts,
    boolean askIfEmpty,
    boolean complete,
    Optional<Instant> wakeup)
    implements PoolPlanCopy.With {
  public PoolPlan {
    plannedActions = List.copyOf(plannedActions);
    eventDrafts = List.copyOf(eventDrafts);
  }
}
