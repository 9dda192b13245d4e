package io.nodepool.world.check;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.world.Situation;
import io.nodepool.world.Situations;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Records the situations that are visible in the objects. */
public final class SituationDetector {
  private final WorldCluster cluster;
  private final Situations situations;

  /** UIDs of Pods that were observed before. */
  private final Set<String> pods = new HashSet<>();

  /** UIDs of Nodes in removal. */
  private final Set<String> inRemoval = new HashSet<>();

  /** Nodes in a disruption, as last observed, by UID. */
  private final Map<String, Node> disrupted = new HashMap<>();

  /** UIDs of the last Hosts, by name. */
  private final Map<String, String> hosts = new HashMap<>();

  /** The stages of rollouts, and what other clients do to pools. */
  private final RolloutSituations rollouts;

  /** Whether the operator's write takes effect now. */
  private boolean operatorWrites;

  /** The reclaims of machines that spot pools hold. */
  private final PreemptionSituations preemptions;

  /** UIDs of the pools whose last status reported each situation. */
  private final Map<Situation, Set<String>> reported = new EnumMap<>(Situation.class);

  /** Names of deleted pools. */
  private final Set<String> gone = new HashSet<>();

  /** Creates a detector of situations in a cluster. */
  public SituationDetector(WorldCluster cluster, Situations situations) {
    this.cluster = cluster;
    this.situations = situations;
    this.preemptions = new PreemptionSituations(cluster, situations);
    this.rollouts = new RolloutSituations(cluster, situations);
  }

  /** Begins to watch the cluster. */
  public void watch() {
    cluster.watch(
        this::see,
        WorldCluster.Kind.PODS,
        WorldCluster.Kind.NODES,
        WorldCluster.Kind.HOSTS,
        WorldCluster.Kind.POOLS);
    cluster.watch(WorldCluster.Kind.HOSTS, preemptions::see);
    rollouts.watch();
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.PodSeen(Pod pod) && pods.add(pod.uid())) {
      bound(pod);
    } else if (seen instanceof Observation.NodeSeen(Node node)) {
      node.disruption().ifPresent(at -> seeRemoval(node, at));
      seeClients(node);
    } else if (seen instanceof Observation.NodeGone(_, String uid, _)) {
      disrupted.remove(uid);
      if (!inRemoval.remove(uid)) {
        situations.add(Situation.NODE_GONE_UNASKED);
      }
    } else if (seen instanceof Observation.HostSeen(Host host)) {
      String last = hosts.put(host.id().name(), host.id().uid());
      if (last != null
          && !last.equals(host.id().uid())
          && cluster.nodes().containsKey(host.id().name())) {
        situations.add(Situation.HOST_REPLACED);
      }
    } else if (seen instanceof Observation.HostGone(var host, _)) {
      hosts.put(host.name(), host.uid());
      if (cluster.nodes().containsKey(host.name())) {
        situations.add(Situation.HOST_GONE);
      }
    } else if (seen instanceof Observation.PoolSeen(Pool pool)) {
      reported(pool);
    } else if (seen instanceof Observation.NodeUnreadable(String name, _, _, _)) {
      unreadable(name);
    } else if (seen instanceof Observation.HostUnreadable(var host, _, _, _)) {
      unreadable(host.name());
    } else if (seen instanceof Observation.PoolUnreadable(var pool, _, _)) {
      heldBy(pool).forEach(host -> unreadable(host.id().name()));
    } else if (seen instanceof Observation.PoolGone(var pool, _)) {
      gone.add(pool.name());
      if (heldBy(pool).findAny().isPresent()) {
        situations.add(Situation.ORPHANED);
      }
    }
  }

  private void reported(Pool pool) {
    if (gone.remove(pool.id().name())) {
      situations.add(Situation.POOL_RECREATED);
    }
    reported(pool, PoolCondition.QUOTA, QuotaReason.OVER, Situation.OVER_QUOTA);
    reported(
        pool,
        PoolCondition.CAPACITY,
        CapacityReason.QUEUED_AWAITING_CAPACITY,
        Situation.SHORT_OF_MACHINES);
  }

  /** Counts a situation once for as long as the condition reports it. */
  private void reported(Pool pool, PoolCondition type, PoolReason reason, Situation what) {
    boolean now =
        pool.status().condition(type).filter(condition -> condition.reason() == reason).isPresent();
    Set<String> before = reported.computeIfAbsent(what, each -> new HashSet<>());
    if (!now) {
      before.remove(pool.id().uid());
    } else if (before.add(pool.id().uid())) {
      situations.add(what);
    }
  }

  private Stream<Host> heldBy(PoolId pool) {
    return cluster.hosts().values().stream().filter(host -> host.isHeldBy(pool.uid()));
  }

  private void bound(Pod pod) {
    Optional<Disruption> removal = removal(pod.nodeName());
    if (removal.filter(Disruption.Admitted.class::isInstance).isPresent()) {
      situations.add(Situation.BOUND_WHILE_ADMITTED);
    }
    if (removal.filter(Disruption.Committed.class::isInstance).isPresent()) {
      situations.add(Situation.BOUND_WHILE_DRAINING);
    }
  }

  private void seeRemoval(Node node, Disruption at) {
    if (at instanceof Disruption.Requested) {
      return;
    }
    if (at.isActive()) {
      inRemoval.add(node.uid());
    }
    if (!node.ready()) {
      situations.add(Situation.NOT_READY_IN_REMOVAL);
    }
    if (node.deleting()) {
      situations.add(Situation.FINALIZER_HELD);
    }
    if (node.status().volumes() > 0) {
      situations.add(Situation.VOLUME_ATTACHED_IN_REMOVAL);
    }
  }

  /** What another client did to a Node in a disruption. */
  private void seeClients(Node node) {
    Node last =
        node.isTerminating() ? disrupted.put(node.uid(), node) : disrupted.remove(node.uid());
    if (last == null || operatorWrites) {
      return;
    }
    if (last.cordoned() && !node.cordoned()) {
      situations.add(Situation.UNCORDONED_BY_HAND);
    }
    if (node.disruption().isEmpty()) {
      situations.add(Situation.NODE_RECORD_LOST);
    }
  }

  private void unreadable(String machine) {
    situations.add(Situation.UNREADABLE);
    if (cluster.node(machine).filter(Node::isTerminating).isPresent()) {
      situations.add(Situation.UNREADABLE_IN_REMOVAL);
    }
  }

  /** Records that an intent is about to take effect. */
  public void before(Action action, Instant now) {
    writes(true);
    preemptions.before(action, now);
    Optional<Disruption> removal =
        switch (action.subject()) {
          case Action.Subject.OfNode(String name, _) -> removal(name);
          case Action.Subject.OfPod(_, _, _, String node) -> removal(node);
          case Action.Subject.OfHost _, Action.Subject.OfPool _, Action.Subject.OfNamespace _ ->
              Optional.empty();
        };
    ofReboot(action, removal).ifPresent(situations::add);
    boolean admitted = removal.filter(Disruption.Admitted.class::isInstance).isPresent();
    if (action instanceof Action.WriteNode write && write.isFor(NodePurpose.WITHDRAW) && admitted) {
      situations.add(Situation.TAKEN_BACK);
    }
    if (action instanceof Action.DeletePod
        && removal.orElse(null) instanceof Disruption.Committed draining
        && !now.isBefore(draining.forceAt())) {
      situations.add(Situation.FORCED_DRAIN);
    }
  }

  private void writes(boolean operator) {
    operatorWrites = operator;
    rollouts.writes(operator);
  }

  private Optional<Disruption> removal(String node) {
    return cluster.node(node).flatMap(Node::disruption);
  }

  /** Records that an intent was answered. */
  public void after(Action action, Answer<Observation> answer) {
    writes(false);
    if (answer instanceof Answer.Done<Observation>
        && action instanceof Action.OnHost(HostOperation.Cancel _)) {
      situations.add(Situation.CANCELLED_WHILE_BOOTING);
    }
    if (answer instanceof Answer.Done<Observation>(Observation.EvictionTried tried)
        && tried.blockedBy().isPresent()) {
      situations.add(Situation.BUDGET_BLOCKED);
      if (tried.blockedBy().get().equals(WorldPods.SEVERAL)) {
        situations.add(Situation.SEVERAL_BUDGETS);
      }
    }
  }

  /** Records the situations in which an operator starts. */
  void started() {
    for (Node node : cluster.nodes().values()) {
      node.disruption()
          .ifPresent(removal ->
              situations.add(
                  switch (removal) {
                    case Disruption.Requested _, Disruption.PassedOver _, Disruption.Admitted _ ->
                        Situation.STARTED_WHILE_ADMITTED;
                    case Disruption.Committed committed ->
                        committed.isLeaving()
                            ? Situation.STARTED_WHILE_DRAINING
                            : Situation.STARTED_WHILE_REBOOTING;
                  }));
    }
    if (cluster.pools().values().stream().anyMatch(RolloutSituations::isUnderWay)) {
      situations.add(Situation.STARTED_WHILE_ROLLING_OUT);
    }
    if (cluster.isAnyGarbled()) {
      situations.add(Situation.STARTED_WHILE_UNREADABLE);
    }
  }

  /**
   * What an intent that is about to take effect does to a reboot.
   *
   * @param last the record on its Node
   */
  private static Optional<Situation> ofReboot(Action action, Optional<Disruption> last) {
    if (action instanceof Action.OnHost(HostOperation.Boot boot)) {
      return Optional.of(
          boot.request().attempt() > 1 ? Situation.REBOOT_RETRIED : Situation.REBOOTED);
    }
    if (action instanceof Action.WriteNode write && write.isFor(NodePurpose.DROP_REBOOT_POLICY)) {
      return Optional.of(Situation.POLICY_TAKEN_OFF);
    }
    if (action instanceof Action.WriteNode write
        && write.isFor(NodePurpose.WITHDRAW)
        && last.orElse(null) instanceof Disruption.Admitted admitted
        && !admitted.leaves()) {
      return Optional.of(Situation.REBOOT_WITHDRAWN);
    }
    if (action instanceof Action.WriteNode commit
        && commit.isFor(NodePurpose.COMMIT)
        && last.orElse(null) instanceof Disruption.Committed reboot
        && !reboot.isLeaving()) {
      return Optional.of(
          commit
                  .next()
                  .flatMap(Disruption::active)
                  .filter(next -> next.isFor("RebootFailed"))
                  .isPresent()
              ? Situation.REBOOT_GIVEN_UP
              : Situation.LEFT_INSTEAD_OF_REBOOT);
    }
    return Optional.empty();
  }
}
