package io.nodepool.world.check;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.world.check.cause.CauseCheck;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.truth.TruthOracle;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Leaderships;
import io.nodepool.world.operator.OperatorView;
import io.nodepool.world.operator.Request;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.MessageFormatter;

/**
 * The invariants that hold after every step of every run. A violation ends the run with a message
 * that names the rule and the objects.
 */
public final class Invariants {
  private final WorldCluster cluster;

  /** The holder of each Host as last checked, by Host UID. */
  private final Map<String, String> holders = new HashMap<>();

  /** The version of each Host that has the present holder for the first time, by Host UID. */
  private final Map<String, Long> heldSince = new HashMap<>();

  /** Operation ids used for each tenancy, by Host UID and tenancy. */
  private final Map<String, String> operations = new HashMap<>();

  /** Names of Hosts that their owner deleted. */
  private final Set<String> deleted = new HashSet<>();

  /**
   * UIDs of Hosts whose assignment took effect after its sender had given it up: no comparison in
   * the API server can prevent that, so the quota may be exceeded until the Host is released.
   */
  private final Set<String> late = new HashSet<>();

  private final Map<String, Integer> heldByPool = new HashMap<>();
  private final Map<String, Integer> highestTarget = new HashMap<>();
  private final Map<String, Integer> highestQuota = new HashMap<>();

  private final TerminationPath path;
  private final PowerPath power;
  private final ProductionPath production;
  private final ConsentPath consents;
  private final PreemptionPath preemptions;
  private final RolloutPath rollouts;
  private final TruthOracle truth;

  /** Whether the Node of the intent that takes effect now was drained before. */
  private boolean drained;

  /** Creates the checks of a cluster, before its first step. */
  public Invariants(WorldCluster cluster, Leaderships leaderships, InstantSource clock) {
    this.cluster = cluster;
    this.preemptions = new PreemptionPath(cluster);
    RebootPath.watch(cluster);
    LostNodesPath.watch(cluster, clock);
    RepairLimitsPath.watch(cluster, leaderships, clock);
    Chronicle chronicle = new Chronicle(cluster, leaderships, clock);
    TenantPods pods = new TenantPods(cluster, clock);
    this.consents = new ConsentPath(cluster, chronicle, pods);
    this.rollouts = new RolloutPath(cluster, clock, consents);
    this.path = new TerminationPath(cluster, pods, consents);
    this.power = new PowerPath(cluster);
    this.production = new ProductionPath(cluster, pods, consents, clock);
    this.truth = new TruthOracle(chronicle, CauseCheck.ALL, Invariants::isUntrue);
    cluster.watch(WorldCluster.Kind.HOSTS, this::seeHost);
    cluster.watch(WorldCluster.Kind.POOLS, this::seePool);
  }

  private void seePool(Observation seen) {
    if (seen instanceof Observation.PoolSeen(Pool pool)) {
      highestTarget.merge(pool.id().uid(), pool.spec().target(), Math::max);
    }
  }

  private void seeHost(Observation seen) {
    if (seen instanceof Observation.HostGone(HostId gone, long _)) {
      deleted.add(gone.name());
      heldByPool.merge(holders.getOrDefault(gone.uid(), ""), -1, Integer::sum);
    }
    Host host = seen instanceof Observation.HostSeen(Host readable) ? readable : unreadable(seen);
    if (host == null) {
      return;
    }
    String uid = host.id().uid();
    String before = holders.getOrDefault(uid, "");
    String after = host.serving().map(PoolId::uid).orElse("");
    if (before.equals(after)) {
      return;
    }
    require(
        before.isEmpty() || after.isEmpty(),
        "Host {} moved from pool {} to pool {} without being free in between",
        host.id().name(),
        before,
        after);
    holders.put(uid, after);
    heldSince.put(uid, host.version());
    heldByPool.merge(before, -1, Integer::sum);
    if (after.isEmpty()) {
      late.remove(uid);
    }
    int held = heldByPool.merge(after, 1, Integer::sum);
    int highest = highestTarget.getOrDefault(after, 0);
    if (!after.isEmpty()) {
      require(
          !cluster.nodes().containsKey(host.id().name()),
          "Host {} was assigned while a Node of an earlier tenancy exists",
          host.id().name());
      require(
          held - late(after) <= highest,
          "pool {} holds {} Hosts and never requested more than {}",
          after,
          held,
          highest);
    }
  }

  private @Nullable Host unreadable(Observation seen) {
    return seen instanceof Observation.HostUnreadable(HostId id, long _, String _, String _)
        ? cluster.hosts().get(id.name())
        : null;
  }

  /**
   * Notes what a request is to do that is sent, or is to be sent after its Events: what is said of
   * requests that fail is compared with it.
   */
  public void tried(Request request) {
    request.pieces.stream()
        .flatMap(piece ->
            piece instanceof Request.Piece.Act(Action action) ? Stream.of(action) : Stream.empty())
        .forEach(truth::tried);
  }

  /**
   * Checks an intent when it is sent, whether it arrives or not: one assignment has one operation
   * id.
   */
  public void sent(Action action) {
    if (action instanceof Action.OnHost(HostOperation.Assign assign)) {
      String tenancy = assign.host().uid() + "/" + (assign.tenancy() + 1);
      String pool = assign.pool().uid();
      String used = operations.putIfAbsent(tenancy + "/" + pool, assign.id());
      require(
          used == null || used.equals(assign.id()),
          "assignment of {} to {} was requested as {} and as {}",
          tenancy,
          pool,
          used,
          assign.id());
    }
  }

  /**
   * Protects Pods by UID: from now on, none of them may be harmed without a consent, since they are
   * bound so early that an operator which begins a drain can know them.
   */
  public void protect(Predicate<String> next) {
    consents.protect(next);
  }

  /** Checks an intent that is about to take effect. */
  void before(Request request, Action action) {
    path.before(request, action);
    power.before(request, action);
    rollouts.before(action);
    if (request.late && action instanceof Action.OnHost(HostOperation.Assign assign)) {
      late.add(assign.host().uid());
    }
    if (action instanceof Action.DeleteNode(String name, String uid)) {
      Node node = cluster.nodes().get(name);
      Host host = cluster.hosts().get(name);
      require(
          node == null
              || !node.uid().equals(uid)
              || host == null
              || host.tenancy() != node.identity().tenancy()
              || !node.hostUid().equals(host.id().uid())
              || !host.is(HostPhase.RUNNING)
              || !request.view.running(),
          "Node {} is deleted while its machine runs",
          name);
    }
    drained = path.isDrained(action);
    consents.before(request, action);
    production.before();
  }

  /** Checks the effect of an intent. */
  void after(Request request, Action action, Answer<Observation> answer) {
    // A write may begin a drain that is over with it, since what is left has ended.
    consents.after(action, answer);
    production.after(request);
    path.after(action, answer, drained);
    rollouts.after(request, action, answer);
    if (answer instanceof Answer.Done<Observation>) {
      truth.written(action, answer, request.knownSince);
    }
  }

  /** Checks an Event that is emitted. */
  public void emitted(Request request, EventDraft event) {
    truth.emitted(event, request.knownSince);
  }

  private static void isUntrue(String untruth) {
    throw new InvariantBroken(untruth);
  }

  /** Checks that a pool is removed only if a live list of its operator found nothing of it. */
  public void released(Request request, PoolId pool) {
    long confirmed = request.sender.operatorView.confirmedAt(pool).orElse(Long.MAX_VALUE);
    cluster.hosts().values().stream()
        .filter(host ->
            host.isHeldBy(pool.uid()) && heldSince.getOrDefault(host.id().uid(), 0L) <= confirmed)
        .findFirst()
        .ifPresent(host ->
            require(false, "{} is removed and still holds Host {}", pool, host.id().name()));
  }

  /**
   * Checks the whole cluster.
   *
   * @param calmSince since when an operator runs and nothing disturbs it
   * @param observedSince since when an operator runs that observes everything
   * @param leader what the leading operator has observed
   */
  public void check(
      Instant now, Instant calmSince, Instant observedSince, Optional<OperatorView> leader) {
    consents.check(observedSince);
    preemptions.check(now, calmSince);
    rollouts.check(now, leader);
    truth.check(calmSince);
    for (Node node : cluster.nodes().values()) {
      require(
          cluster.hosts().containsKey(node.name()) || deleted.contains(node.name()),
          "Node {} has no Host at {}",
          node.name(),
          now);
    }
    FleetOffer offer = cluster.offer();
    offer.quota().forEach((type, quota) -> highestQuota.merge(type, quota, Math::max));
    Map<String, Integer> used = new HashMap<>();
    cluster
        .pools()
        .values()
        .forEach(pool -> used.merge(pool.spec().instanceType(), quotaUse(pool), Integer::sum));
    used.forEach((type, nodes) -> {
      int quota = highestQuota.getOrDefault(type, Integer.MAX_VALUE);
      require(nodes <= quota, "{} Nodes of {} exceed the quota of {}", nodes, type, quota);
    });
  }

  /** The quota that a pool uses according to its objects alone, which survive the operator. */
  private int quotaUse(Pool pool) {
    int held = heldByPool.getOrDefault(pool.id().uid(), 0);
    int granted = pool.status().growth().map(Growth::granted).orElse(0);
    int counted = held - late(pool.id().uid());
    return pool.isTerminating() ? counted : Math.max(counted, granted);
  }

  private int late(String poolUid) {
    return (int)
        cluster.hosts().values().stream()
            .filter(host -> late.contains(host.id().uid()) && host.isHeldBy(poolUid))
            .count();
  }

  /** Ends the run with this message unless the condition holds. */
  public static void require(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new InvariantBroken(MessageFormatter.arrayFormat(message, arguments).getMessage());
    }
  }

  /** An invariant did not hold. */
  public static final class InvariantBroken extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    InvariantBroken(String message) {
      super(message);
    }
  }
}
