package io.nodepool.world.check.cause;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.PastRepair;
import io.nodepool.health.Signal;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a Node waits for that is cordoned for the repair of its machine, compared with facts. */
public final class RepairWaits {
  /** The least number of Hosts of which the limits of a day hold others. */
  private static final int LEAST = 3;

  /** Three boots of which none is verified within an hour, and the end of the work before. */
  private static final Duration LONGEST_REPAIR = Duration.ofHours(4);

  private final WorldCluster cluster;

  /** Whether the user's changes of the alerts cannot be read. */
  private boolean garbledAlerts;

  /** The waits in this cluster. */
  public RepairWaits(WorldCluster cluster) {
    this.cluster = cluster;
    cluster.watch(
        seen -> {
          if (seen instanceof Observation.CatalogueSeen) {
            garbledAlerts = false;
          } else if (seen instanceof Observation.CatalogueRefused) {
            garbledAlerts = true;
          }
        },
        WorldCluster.Kind.OFFER);
  }

  /** Whether a Node is cordoned for a repair that is not carried out yet. */
  public static boolean isAdmitted(Node node) {
    return repairs(node).findAny().isPresent();
  }

  private static Stream<DisruptionCause.Repaired> repairs(Node node) {
    Optional<Disruption.Active> active = node.disruption().flatMap(Disruption::active);
    return active.stream()
        .flatMap(each -> each.causes().stream().filter(each::awaits))
        .flatMap(cause -> cause.what().repaired().stream());
  }

  /**
   * Whether such a Node waits for the end of its work, which its pool protects, or because its pool
   * publishes what holds its repair.
   */
  public boolean isWaiting(Node node, Instant now) {
    return isAdmitted(node)
        && cluster
            .poolOf(node)
            .filter(pool ->
                repairs(node)
                    .allMatch(repair ->
                        isKept(node, repair, pool)
                            || isSuspect(repair, pool)
                            || isStale(node, repair)
                            || (garbledAlerts && !pool.status().repairs().why().isEmpty())
                            || isBehindAnother(node, pool, now)))
            .isPresent();
  }

  /** Whether the machine of this name is kept for inspection, as its pool's user wants. */
  public boolean isPreserved(String machine, Instant now) {
    return cluster
        .host(machine)
        .filter(host -> host.power() == Host.Power.ON && host.preemption().isEmpty())
        .filter(host -> host.preserved().filter(kept -> now.isBefore(kept.until())).isPresent())
        .flatMap(Host::assignment)
        .flatMap(held -> cluster.pool(held.pool().name()))
        .filter(pool -> pool.spec().repair().isPreserving() && !pool.isTerminating())
        .isPresent();
  }

  private boolean isKept(Node node, DisruptionCause.Repaired repair, Pool pool) {
    return cluster.workloads().isBusy(node.name())
        && pool.spec().lifecycle().disableUnhealthyNodeEviction()
        && !repair.endsProtectedWork();
  }

  /**
   * Whether it waits in the line of its pool, since another Node is being repaired: its turn comes
   * however long the line is.
   */
  private boolean isBehindAnother(Node node, Pool pool, Instant now) {
    return pool.status().repairs().admitted().stream()
        .filter(admitted -> !admitted.node().equals(node.name()))
        .flatMap(admitted -> cluster.node(admitted.node()).stream())
        .flatMap(other -> other.disruption().stream())
        .anyMatch(other ->
            other instanceof Disruption.Committed committed
                && now.isBefore(committed.at().plus(LONGEST_REPAIR)));
  }

  /** Whether only sources report the alert that have to be heard of. */
  private boolean isStale(Node node, DisruptionCause.Repaired repair) {
    List<Signal> reported =
        cluster.signals().about(node.name()).stream()
            .filter(Signal::stands)
            .filter(signal -> signal.name().equals(repair.alert()))
            .toList();
    return !reported.isEmpty()
        && reported.stream().allMatch(signal -> signal.reported().isPresent());
  }

  /** Whether its pool publishes that this alert is held, or so much was done within a day. */
  private boolean isSuspect(DisruptionCause.Repaired repair, Pool pool) {
    return pool.status().repairs().isHeld(repair.alert())
        || past(pool, PastRepair::out) >= LEAST
        || past(pool, PastRepair::endedWork) >= LEAST;
  }

  private long past(Pool pool, Predicate<PastRepair> which) {
    return cluster.hosts().values().stream()
        .filter(host ->
            host.past().stream()
                .anyMatch(each -> each.poolUid().equals(pool.id().uid()) && which.test(each)))
        .count();
  }
}
