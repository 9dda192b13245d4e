package io.nodepool.plan;

import io.nodepool.model.pool.PoolStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What to do for a pool now, and what to say about it.
 *
 * @param plannedActions actions on Hosts, in order
 * @param status the status to be published; equal to the published one when nothing changed
 * @param eventDrafts events that the change from the published status to this one announces
 * @param askIfEmpty whether a live list is needed before the pool's finalizer may go
 * @param complete whether nothing of the pool is left, so that its finalizer may go once this
 *     status is published
 * @param wakeup when to plan again even if nothing happens
 */
public record PoolPlan(
    List<PlannedAction> plannedActions,
    PoolStatus status,
    List<EventDraft> eventDrafts,
    boolean askIfEmpty,
    boolean complete,
    Optional<Instant> wakeup) {
  public PoolPlan {
    plannedActions = List.copyOf(plannedActions);
    eventDrafts = List.copyOf(eventDrafts);
  }

  /** This plan with other steps. */
  public PoolPlan withSteps(List<PlannedAction> next) {
    return new PoolPlan(next, status, eventDrafts, askIfEmpty, complete, wakeup);
  }

  /** This plan with another status. */
  public PoolPlan withStatus(PoolStatus next) {
    return new PoolPlan(plannedActions, next, eventDrafts, askIfEmpty, complete, wakeup);
  }
}
