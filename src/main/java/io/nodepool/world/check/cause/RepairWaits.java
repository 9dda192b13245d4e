package io.nodepool.world.check.cause;

import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a Node waits for that is cordoned for the repair of its machine, compared with facts. */
public final class RepairWaits {
  /** On fewer Nodes no alert is suspect. */
  private static final int SUSPECT_COUNT = 4;

  private final WorldCluster cluster;

  /** The waits in this cluster. */
  public RepairWaits(WorldCluster cluster) {
    this.cluster = cluster;
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
   * publishes that the alert is suspect, which is reported about many machines.
   */
  public boolean isWaiting(Node node) {
    return isAdmitted(node)
        && cluster
            .poolOf(node)
            .filter(pool ->
                repairs(node)
                    .allMatch(repair ->
                        isKept(node, repair, pool)
                            || isSuspect(repair, pool)
                            || isStale(node, repair)))
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
        .filter(pool -> pool.spec().pause().isPreserving() && !pool.isTerminating())
        .isPresent();
  }

  private boolean isKept(Node node, DisruptionCause.Repaired repair, Pool pool) {
    return cluster.workloads().isBusy(node.name())
        && pool.spec().lifecycle().disableUnhealthyNodeEviction()
        && !repair.endsProtectedWork();
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

  private boolean isSuspect(DisruptionCause.Repaired repair, Pool pool) {
    long reported =
        cluster.hosts().values().stream()
            .filter(host -> host.isHeldBy(pool.id().uid()))
            .filter(host ->
                Stream.concat(
                        host.report().signals().stream(),
                        cluster.signals().about(host.id().name()).stream())
                    .filter(Signal::stands)
                    .anyMatch(signal -> signal.name().equals(repair.alert())))
            .count();
    return pool.status()
            .removal()
            .repairs()
            .suspect(repair.alert())
            .filter(each -> each.verdict() != SuspectedAlert.Verdict.GENUINE)
            .isPresent()
        && reported >= SUSPECT_COUNT;
  }
}
