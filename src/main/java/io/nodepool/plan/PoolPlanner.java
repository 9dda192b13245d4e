package io.nodepool.plan;

import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.model.Claim;
import io.nodepool.model.Condition;
import io.nodepool.model.Growth;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.PoolStatus;
import io.nodepool.vocabulary.PoolCondition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plans a pool: valid? within quota? capacity? how many? which ones? which configuration? may it
 * go? Pure: the same snapshot and instant always give the same plan.
 */
public final class PoolPlanner {
  private final InstanceCatalogue catalogue;
  private final Rules rules;
  private final Validation validation;

  /** A planner that knows these instance types. */
  public PoolPlanner(InstanceCatalogue catalogue, Rules rules) {
    this.catalogue = catalogue;
    this.rules = rules;
    this.validation = new Validation(catalogue);
  }

  /** The plan for what is seen, at this instant. */
  public PoolPlan plan(PoolSnapshot seen, Instant now) {
    return seen.pool().isLeaving() ? planLeaving(seen, now) : planStaying(seen, now);
  }

  private PoolPlan planStaying(PoolSnapshot seen, Instant now) {
    Pool pool = seen.pool();
    Validation.Validity validity = validation.check(seen);
    int held = seen.held();
    int target = pool.spec().target();
    Optional<Growth> asked = ask(seen.growth(), target, validity.mayGrow(), now);
    Claim wish = claim(pool, asked, target, held, now);
    Quota.Grant grant =
        validity.isInvalid() ? Quota.notComputed(wish) : Quota.check(seen, wish, rules);
    Optional<Growth> growth =
        asked.map(before ->
            new Growth(
                before.askedAt(),
                before.target(),
                validity.mayGrow() ? grant.granted() : Math.min(before.granted(), target)));
    Claim own = claim(pool, growth, target, held, now);
    int rackSize = rackSize(pool);
    Capacity.Supply supply =
        validity.isInvalid() ? Capacity.notComputed() : Capacity.check(seen, own, rackSize);

    String profile = Configuration.active(pool, seen.offer());
    Optional<String> refusal = Refusal.of(seen, now);
    Delivery.Late late = Delivery.check(seen, refusal.isPresent(), now, rules);
    List<Step> steps = new ArrayList<>(late.steps());
    if (validity.mayGrow() && refusal.isEmpty() && pool.guarded()) {
      steps.addAll(Sizing.assign(seen, supply.share(), profile, now));
    }
    steps.addAll(Sizing.cancel(seen, seen.staying() - target, rackSize));
    Shrinking.Outlook shrinking = Shrinking.plan(seen, target, rackSize, now);
    steps.addAll(shrinking.steps());

    Counts counts =
        Counts.of(seen, growth, supply.queues() ? Integer.MAX_VALUE : supply.available(), rackSize);
    Map<PoolCondition, Condition> conditions =
        Report.conditions(
            pool.status(),
            now,
            validity.finding(),
            supply.finding(),
            grant.finding(),
            Sizing.atTarget(seen, counts, target, shrinking, refusal),
            Configuration.check(seen.members().booted(), profile));
    PoolStatus status =
        counts.status(
            pool.generation(),
            target,
            shrinking.batch(),
            profile,
            pool.keepsMetadata() ? pool.status().nodeMetadata() : pool.spec().node().fingerprint(),
            growth,
            conditions,
            Report.events(seen, conditions));
    return new PoolPlan(
        steps,
        status,
        Report.notices(seen, status, validity.cause(), now),
        false,
        false,
        Stream.of(late.wakeup(), supply.wakeup(), shrinking.wakeup())
            .flatMap(Optional::stream)
            .min(Instant::compareTo));
  }

  private PoolPlan planLeaving(PoolSnapshot seen, Instant now) {
    Pool pool = seen.pool();
    List<Step> steps = new ArrayList<>(Sizing.cancel(seen, seen.staying(), 1));
    Shrinking.Outlook shrinking = Shrinking.plan(seen, 0, 1, now);
    steps.addAll(shrinking.steps());
    boolean empty = seen.held() == 0;
    boolean complete = empty && seen.confirmedEmpty();
    Counts counts = Counts.of(seen, Optional.empty(), 0, rackSize(pool));
    Map<PoolCondition, Condition> conditions =
        Report.keep(
            pool.status(),
            now,
            Emptying.pendingDelete(),
            Emptying.check(seen, shrinking, complete));
    PoolStatus status =
        counts.status(
            pool.generation(),
            pool.spec().target(),
            shrinking.batch(),
            pool.status().nodeProfile(),
            pool.status().nodeMetadata(),
            Optional.empty(),
            conditions,
            Report.events(seen, conditions));
    return new PoolPlan(
        steps,
        status,
        Report.notices(seen, status, Optional.empty(), now),
        empty && !seen.confirmedEmpty(),
        complete,
        shrinking.wakeup());
  }

  /**
   * The growth request after looking at the target: a higher one is asked anew, a lower one keeps
   * its place (D9).
   */
  private static Optional<Growth> ask(
      Optional<Growth> before, int target, boolean mayAsk, Instant now) {
    if (before.isEmpty()) {
      return mayAsk && target > 0
          ? Optional.of(new Growth(now.truncatedTo(ChronoUnit.MILLIS), target, 0))
          : Optional.empty();
    }
    Growth last = before.get();
    if (target > last.target()) {
      return mayAsk
          ? Optional.of(new Growth(now.truncatedTo(ChronoUnit.MILLIS), target, last.granted()))
          : before;
    }
    return Optional.of(new Growth(last.askedAt(), target, Math.min(last.granted(), target)));
  }

  /** The pool's own claim; without a request it wants no more than it holds. */
  private static Claim claim(
      Pool pool, Optional<Growth> growth, int target, int held, Instant now) {
    return new Claim(
        pool.id(),
        pool.spec().priority(),
        growth.map(Growth::askedAt).orElse(now),
        growth.isPresent() ? target : Math.min(target, held),
        growth.map(Growth::granted).orElse(0),
        Math.max(growth.map(Growth::granted).orElse(0), held),
        held,
        pool.spec().affinity());
  }

  private int rackSize(Pool pool) {
    return catalogue.find(pool.spec().instanceType()).map(InstanceType::rackSize).orElse(0);
  }
}
