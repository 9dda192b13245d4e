package io.nodepool.world.check;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.Observation;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.world.Situation;
import io.nodepool.world.Situations;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Records the stages in which fleets announce and withdraw the preemption of machines. */
final class PreemptionSituations {
  private final WorldCluster cluster;
  private final Situations situations;

  /** The notice on each Host as last observed, by the Host's UID. */
  private final Map<String, Reclaim> notices = new HashMap<>();

  PreemptionSituations(WorldCluster cluster, Situations situations) {
    this.cluster = cluster;
    this.situations = situations;
  }

  void see(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      Optional<Reclaim> next = host.preemption();
      Optional<Reclaim> last =
          Optional.ofNullable(
              next.isPresent()
                  ? notices.put(host.id().uid(), next.get())
                  : notices.remove(host.id().uid()));
      if (next.isPresent() && last.isEmpty()) {
        announced(host).ifPresent(situations::add);
      } else if (next.isEmpty() && last.isPresent() && host.reclaim().isEmpty()) {
        withdrawn(host).ifPresent(situations::add);
      }
    }
  }

  private Optional<Node> node(Host host) {
    return cluster.node(host.id().name()).filter(node -> node.isOf(host));
  }

  private Optional<Situation> announced(Host host) {
    if (host.power() == Host.Power.OFF) {
      return Optional.empty();
    }
    Optional<Node> node = node(host);
    return node.isEmpty()
        ? Optional.of(Situation.PREEMPTED_WHILE_BOOTING)
        : Optional.of(
            switch (node.get().disruption().orElse(null)) {
              case Disruption.Admitted _ -> Situation.PREEMPTED_WHILE_ADMITTED;
              case Disruption.Committed committed ->
                  committed.isLeaving()
                      ? Situation.PREEMPTED_WHILE_DRAINING
                      : Situation.PREEMPTED_WHILE_REBOOTING;
              case Disruption.Requested _, Disruption.PassedOver _ -> Situation.PREEMPTED;
              case null -> Situation.PREEMPTED;
            });
  }

  private Optional<Situation> withdrawn(Host host) {
    return node(host)
        .flatMap(Node::disruption)
        .flatMap(Disruption::active)
        .filter(active -> active.counts(CauseRule.CountsAs.PREEMPTION))
        .map(active ->
            active instanceof Disruption.Admitted
                ? Situation.NOTICE_WITHDRAWN_WHILE_ADMITTED
                : Situation.NOTICE_WITHDRAWN_WHILE_DRAINING);
  }

  /** Records that an intent is about to take effect. */
  void before(Action action, Instant now) {
    if (action instanceof Action.OnHost(HostOperation.Stop stop)
        && cluster
            .node(stop.host().name())
            .filter(node ->
                node.disruption().orElse(null) instanceof Disruption.Committed committed
                    && committed.limits().isStopDue(now))
            .isPresent()
        && !cluster.workloads().boundTo(stop.host().name()).isEmpty()) {
      situations.add(Situation.CUT_OFF);
    }
  }
}
