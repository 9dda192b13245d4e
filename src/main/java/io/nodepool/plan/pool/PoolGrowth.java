package io.nodepool.plan.pool;

import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The growth of a pool: its request, the part that its quota grants, and the Hosts available to it.
 * Pure.
 *
 * @param growth its request to grow, with the granted size; empty as long as it made none
 * @param own the claim of the pool
 * @param supply its share of the free Hosts
 */
record PoolGrowth(Quota.Grant grant, Optional<Growth> growth, Claim own, Capacity.Supply supply) {
  /** The growth of a pool whose spec has this validity. */
  static PoolGrowth of(
      PoolSnapshot seen,
      Validation.Validity validity,
      int rackSize,
      Instant now,
      PlanSettings settings) {
    int target = seen.pool().spec().target();
    Optional<Growth> requested = request(seen.growth(), target, validity.mayGrow(), now);
    Claim requestedClaim = claim(seen, requested, now);
    Quota.Grant grant =
        validity.isInvalid()
            ? Quota.notComputed(requestedClaim)
            : Quota.check(seen, requestedClaim, now, settings);
    Optional<Growth> growth =
        requested.map(before ->
            new Growth(
                    before.askedAt(),
                    before.target(),
                    validity.mayGrow() ? grant.granted() : Math.min(before.granted(), target),
                    before.reached())
                .reachedBy(seen.members().count(Members.Trait.CURRENT)));
    Claim own = claim(seen, growth, now);
    Capacity.Supply supply =
        validity.isInvalid() ? Capacity.notComputed() : Capacity.check(seen, own, rackSize);
    return new PoolGrowth(grant, growth, own, supply);
  }

  /**
   * The growth request for the target: a higher target makes a new request, a lower one keeps its
   * place in the order (D9).
   */
  private static Optional<Growth> request(
      Optional<Growth> before, int target, boolean mayRequest, Instant now) {
    Growth last = before.orElse(new Growth(now, 0, 0, 0));
    if (target > last.target()) {
      return mayRequest
          ? Optional.of(
              new Growth(
                  now.truncatedTo(ChronoUnit.MILLIS), target, last.granted(), last.reached()))
          : before;
    }
    return before.map(_ ->
        new Growth(
            last.askedAt(),
            target,
            Math.min(last.granted(), target),
            Math.min(last.reached(), target)));
  }

  /** The pool's own claim; without a growth request the pool wants no more than it holds. */
  private static Claim claim(PoolSnapshot seen, Optional<Growth> growth, Instant now) {
    Pool pool = seen.pool();
    int target = pool.spec().target();
    int held = seen.held();
    int granted = growth.map(Growth::granted).orElse(0);
    return new Claim(
        pool.id(),
        new Claim.Rank(
            pool.spec().isSpot(), pool.spec().priority(), growth.map(Growth::askedAt).orElse(now)),
        target,
        growth.isPresent() ? target : Math.min(target, held),
        granted,
        Math.max(granted, held),
        held,
        pool.spec().affinity());
  }
}
