package io.nodepool.control;

import io.nodepool.control.write.Instants;
import io.nodepool.model.Claim;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.Step;
import io.nodepool.plan.Unreadable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observe, plan, act, report, for one pool at a time. Runs on the decision thread. */
public final class PoolLoop {
  private static final Logger log = LoggerFactory.getLogger(PoolLoop.class);

  private final Index index;
  private final Inventory inventory;
  private final PoolPlanning planner;
  private final ActionSubmitter writes;
  private final Waker waker;
  private final InstantSource clock;
  private final Timings timings;

  PoolLoop(
      Index index,
      Inventory inventory,
      PoolPlanning planner,
      ActionSubmitter writes,
      Waker waker,
      InstantSource clock,
      Timings timings) {
    this.index = index;
    this.inventory = inventory;
    this.planner = planner;
    this.writes = writes;
    this.waker = waker;
    this.clock = clock;
    this.timings = timings;
  }

  /**
   * What a run found.
   *
   * @param wakeup when to run again even if nothing happens
   * @param released whether the pool's finalizer may go now
   */
  public record Outcome(Optional<Instant> wakeup, boolean released) {}

  /** Runs for the pool of this name. */
  public Outcome reconcile(String poolName) {
    PoolEntry entry = inventory.entry(poolName);
    if (!index.isComplete() || entry == null) {
      return new Outcome(Optional.empty(), false);
    }
    if (entry.unreadable != null) {
      return new Outcome(sayUnreadable(entry.unreadable), false);
    }
    if (entry.pool == null) {
      return new Outcome(Optional.empty(), false);
    }
    Instant now = clock.instant();
    Instant notBefore = plus(entry.lastPlan, timings.betweenPlans());
    if (now.isBefore(notBefore)) {
      return new Outcome(Optional.of(notBefore), false);
    }
    entry.lastPlan = now;
    return act(entry, entry.pool, now);
  }

  /** Until it was told, for each thing that cannot be read. */
  private Optional<Instant> sayUnreadable(PoolEntry.Unreadable unreadable) {
    return unreadable.said()
        ? Optional.empty()
        : writes.submit(
            Unreadable.pool(unreadable.pool(), unreadable.why()),
            new Key.OfPool(unreadable.pool().name()));
  }

  private Outcome act(PoolEntry entry, Pool pool, Instant now) {
    Key key = new Key.OfPool(pool.id().name());
    inventory.ledgers.begin(entry, pool);
    PoolPlan plan = planner.plan(inventory.snapshot(entry, pool, now), now);
    entry.growth = plan.status().growth();
    entry.wanting = !pool.isLeaving() && pool.spec().target() > entry.held();

    Optional<Instant> wakeup = plan.wakeup();
    for (Step step : plan.steps()) {
      wakeup = Instants.earlier(wakeup, writes.submit(step, key));
    }
    boolean told = plan.status().equals(pool.status());
    if (!told) {
      wakeup = Instants.earlier(wakeup, publish(entry, pool, plan, key, now));
    } else if (plan.askIfEmpty()) {
      wakeup =
          Instants.earlier(
              wakeup,
              writes.submit(
                  Step.quiet(new Action.ConfirmEmpty(pool.id()), "nothing of it was seen"), key));
    }
    tellOthers(entry, pool, key);
    boolean released =
        told && plan.complete() && !writes.isUnderWay(new Action.Subject.OfPool(pool.id()));
    return new Outcome(wakeup, released);
  }

  private Optional<Instant> publish(
      PoolEntry entry, Pool pool, PoolPlan plan, Key key, Instant now) {
    Action.PublishStatus action = new Action.PublishStatus(pool.id(), plan.status());
    if (writes.isUnderWay(action.subject())) {
      return Optional.empty();
    }
    Instant notBefore = plus(entry.lastStatus, timings.betweenStatuses());
    if (now.isBefore(notBefore)) {
      return Optional.of(notBefore);
    }
    Optional<Instant> held = writes.submit(new Step(plan.notices(), action, "status changed"), key);
    if (held.isEmpty()) {
      entry.lastStatus = now;
      logChange(pool, plan.status());
    }
    return held;
  }

  /** A claim that changed may let others grow, or hold them back. */
  private void tellOthers(PoolEntry entry, Pool pool, Key own) {
    Optional<Claim> claim = entry.claim();
    if (entry.told.equals(claim)) {
      return;
    }
    entry.told = claim;
    Set<Key> keys = new LinkedHashSet<>();
    inventory.wakeWanting(pool.spec().instanceType(), keys);
    keys.remove(own);
    keys.forEach(waker::wake);
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

  private static Instant plus(Instant instant, java.time.Duration duration) {
    return instant.equals(Instant.MIN) ? instant : instant.plus(duration);
  }
}
