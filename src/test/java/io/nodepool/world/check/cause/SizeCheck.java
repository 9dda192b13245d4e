package io.nodepool.world.check.cause;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** Nodes leave because their pool has too many, or is being deleted. */
final class SizeCheck implements CauseCheck {
  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "its pool has too many Nodes",
        Causes::isOverTarget,
        "its pool is being deleted",
        moment -> Causes.poolOf(moment).filter(pool -> !pool.isTerminating()).isEmpty());
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its pool has no Node too many any more",
        (pool, moment) -> Causes.is(pool, moment, each -> needs(each, moment.name(), moment)),
        "another Node is to leave in its place",
        (pool, moment) -> Causes.isOverTarget(moment));
  }

  /** Whether the pool has not too many Nodes with this one, beside those that may leave first. */
  private static boolean needs(Pool pool, String name, Moment moment) {
    BiPredicate<Host, Optional<Node>> stays =
        (host, node) ->
            !host.id().name().equals(name)
                && host.isHeldBy(pool.id().uid())
                && !Chronicle.isUnavailable(host, node)
                && node.filter(n -> !n.isRemovalRequested() && n.autoscalerTaint().isEmpty())
                    .isPresent();
    return moment.machines(stays, stays).least() < pool.spec().target();
  }

  @Override
  public boolean demands(LeavingNode leaving) {
    Instant from = leaving.demanded();
    return leaving.pool(
        from,
        pool -> pool.filter(p -> p.isTerminating() || isTooLarge(p, from, leaving)).isPresent());
  }

  /** Whether the pool held more machines than its target. */
  private static boolean isTooLarge(Pool pool, Instant since, LeavingNode leaving) {
    String uid = pool.id().uid();
    long held =
        leaving.chronicle().memberships().stream()
            .filter(machine -> machine.ever(since, each -> each.poolUid().equals(uid)))
            .count();
    return held > pool.spec().target();
  }
}
