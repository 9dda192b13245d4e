package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Decides which machines on-demand pools need back from spot pools: the number that they queue for
 * and cannot get otherwise. Pure: the same objects always give the same machines.
 */
public final class OnDemandQueue {
  private static final Comparator<Pool> IN_TURN =
      Comparator.comparingInt((Pool pool) -> pool.spec().priority())
          .reversed()
          .thenComparing(pool -> pool.status().growth().map(Growth::askedAt).orElse(Instant.MAX))
          .thenComparing(Pool::id);

  /**
   * The machines that cost the least come first: without a pool or being returned, then under
   * notice already, then not booted yet; then by rack and slot.
   */
  private static final Comparator<Host> CHEAPEST_FIRST =
      Comparator.comparing((Host host) -> !isComing(host))
          .thenComparing(host -> host.reclaim().map(Reclaim::reclaimAt).orElse(Instant.MAX))
          .thenComparing(host -> !host.isBooting())
          .thenComparing(host -> host.machine().rack())
          .thenComparingInt(host -> host.machine().slot())
          .thenComparing(host -> host.id().name());

  private OnDemandQueue() {}

  /** Whether any of the pools waits, so that machines may be needed. */
  public static boolean isAnyWaiting(Collection<Pool> pools) {
    return pools.stream().anyMatch(OnDemandQueue::isWaiting);
  }

  /**
   * The names of the Hosts that must be under notice for on-demand pools. A Host that is free again
   * is among them as long as the pool has not taken it.
   */
  public static Set<String> needed(Collection<Pool> pools, Collection<Host> hosts) {
    List<Pool> waiting = pools.stream().filter(OnDemandQueue::isWaiting).sorted(IN_TURN).toList();
    Set<String> needed = new TreeSet<>();
    if (waiting.isEmpty()) {
      return needed;
    }
    List<Host> usable = hosts.stream().filter(OnDemandQueue::isUsable).toList();
    // If no notice can be of use, as in most data centres, sorting is not needed.
    if (usable.stream().noneMatch(OnDemandQueue::canBeNeeded)) {
      return needed;
    }
    Map<String, Integer> held = new TreeMap<>();
    hosts.forEach(host ->
        host.assignment().ifPresent(each -> held.merge(each.pool().uid(), 1, Integer::sum)));
    List<Host> cheapestFirst = usable.stream().sorted(CHEAPEST_FIRST).toList();
    Set<String> taken = new TreeSet<>();
    for (Pool pool : waiting) {
      Predicate<Host> admitted =
          host ->
              host.machine().instanceType().equals(pool.spec().instanceType())
                  && !taken.contains(host.id().name())
                  && pool.spec().affinity().admits(host.id(), host.machine());
      cheapestFirst.stream()
          .filter(admitted)
          .limit(missing(pool, held.getOrDefault(pool.id().uid(), 0)))
          .toList()
          .forEach(host -> {
            taken.add(host.id().name());
            if (canBeNeeded(host)) {
              needed.add(host.id().name());
            }
          });
    }
    return needed;
  }

  /** The Nodes that the pool queues for, less the machines that it got meanwhile. */
  private static int missing(Pool pool, int held) {
    int granted = pool.status().growth().map(Growth::granted).orElse(0);
    return Math.max(0, Math.min(pool.status().counts().queued(), granted - held));
  }

  private static boolean isWaiting(Pool pool) {
    return !pool.spec().isSpot()
        && !pool.isTerminating()
        && pool.status().counts().queued() > 0
        && pool.status()
            .condition(PoolCondition.VALIDATED)
            .filter(condition ->
                condition.reason() instanceof ValidatedReason reason && reason.holdsGrowth())
            .isEmpty();
  }

  /** Whether an on-demand pool can be given the machine, now or once it is returned. */
  private static boolean isUsable(Host host) {
    return host.report().phase() != HostPhase.FAILED
        && !host.deliveries().isSetAside()
        && (host.assignment().isEmpty() || Reclaims.isHeldAsSpot(host));
  }

  /**
   * Whether a notice is of use: the machine does not become free without one, or has one already.
   */
  private static boolean canBeNeeded(Host host) {
    return !isComing(host) || host.reclaim().isPresent();
  }

  /** Whether the machine becomes free without a notice. */
  private static boolean isComing(Host host) {
    return host.assignment().isEmpty() || host.power() == Host.Power.OFF;
  }
}
