package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.PoolEntry;
import io.nodepool.control.write.Instants;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.report.UnreadableEvents;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reconcile loop of pools: observes, plans, acts and reports for one pool at a time. Confined
 * to the decision thread.
 */
public record PoolLoop(
    ClusterState state,
    PoolPlanning planner,
    ActionSubmitter writes,
    Waker waker,
    InstantSource clock,
    LoopSettings timings) {
  private static final Logger log = LoggerFactory.getLogger(PoolLoop.class);

  /**
   * The result of a run.
   *
   * @param wakeup when to run again even if nothing changes
   * @param released whether the pool's finalizer may be removed now
   */
  public record Outcome(Optional<Instant> wakeup, boolean released) {}

  /** Reconciles the pool of this name. */
  public Outcome reconcile(String poolName) {
    PoolEntry entry = state.entry(poolName).orElse(null);
    if (!state.isComplete() || entry == null) {
      return new Outcome(Optional.empty(), false);
    }
    PoolEntry.Unreadable unreadable = entry.unreadable;
    if (unreadable != null) {
      return new Outcome(reportUnreadable(unreadable), false);
    }
    Instant now = clock.instant();
    Instant notBefore = entry.lastPlan.plus(timings.betweenPlans());
    if (now.isBefore(notBefore)) {
      return new Outcome(Optional.of(notBefore), false);
    }
    state.beginLedger(poolName);
    Optional<PoolSnapshot> seen = state.snapshots().pool(poolName);
    if (seen.isEmpty()) {
      return new Outcome(Optional.empty(), false);
    }
    entry.lastPlan = now;
    return act(seen.get(), entry, now);
  }

  /** Emits the Event for an unreadable state of the pool, once per state. */
  private Optional<Instant> reportUnreadable(PoolEntry.Unreadable unreadable) {
    return unreadable.reported()
        ? Optional.empty()
        : writes.submit(
            UnreadableEvents.pool(unreadable.pool(), unreadable.why()),
            new ReconcileKey.OfPool(unreadable.pool().name()));
  }

  private Outcome act(PoolSnapshot seen, PoolEntry entry, Instant now) {
    Pool pool = seen.pool();
    ReconcileKey key = new ReconcileKey.OfPool(pool.id().name());
    PoolPlan plan = planner.plan(seen, now);

    Optional<Instant> wakeup = plan.wakeup();
    for (PlannedAction plannedAction : plan.plannedActions()) {
      wakeup = Instants.earlier(wakeup, writes.submit(plannedAction, key));
    }
    boolean published = plan.status().equals(pool.status());
    if (!published) {
      wakeup = Instants.earlier(wakeup, publish(entry, pool, plan, key, now));
    } else if (plan.askIfEmpty()) {
      wakeup =
          Instants.earlier(
              wakeup,
              writes.submit(
                  PlannedAction.quiet(new Action.ConfirmEmpty(pool.id()), "nothing of it was seen"),
                  key));
    }
    state.planned(pool, plan).forEach(waker::wake);
    boolean released =
        published && plan.complete() && !writes.isUnderWay(new Action.Subject.OfPool(pool.id()));
    return new Outcome(wakeup, released);
  }

  private Optional<Instant> publish(
      PoolEntry entry, Pool pool, PoolPlan plan, ReconcileKey key, Instant now) {
    Action.PublishStatus action = new Action.PublishStatus(pool.id(), plan.status());
    if (writes.isUnderWay(action.subject())) {
      return Optional.empty();
    }
    Instant notBefore = entry.lastStatus.plus(timings.betweenStatuses());
    // No status follows the last one, and a client may wait to use the pool's name again.
    if (now.isBefore(notBefore) && !plan.complete()) {
      return Optional.of(notBefore);
    }
    Optional<Instant> held =
        writes.submit(new PlannedAction(plan.eventDrafts(), action, "status changed"), key);
    if (held.isEmpty()) {
      entry.lastStatus = now;
      logChange(pool, plan.status());
    }
    return held;
  }

  private static void logChange(Pool pool, PoolStatus next) {
    next.conditions()
        .forEach((type, condition) -> {
          boolean same =
              pool.status()
                  .condition(type)
                  .filter(before -> before.reason().equals(condition.reason()))
                  .isPresent();
          if (!same) {
            log.info(
                "pool {}: {}={}: {}",
                pool.id().name(),
                type.type(),
                condition.reason().word(),
                condition.message());
          }
        });
  }
}
