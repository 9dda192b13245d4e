package io.nodepool.world;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Growth;
import io.nodepool.model.Node;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSpec;
import io.nodepool.plan.Action;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.helpers.MessageFormatter;

/**
 * What must hold after every step of every run. Breaking one ends the run with words that say which
 * and where.
 */
final class Invariants {
  private final WorldCluster cluster;

  /** Holder of each Host as last checked, by Host UID. */
  private final Map<String, String> holders = new HashMap<>();

  /** Operation ids used for each tenancy, by Host UID and tenancy. */
  private final Map<String, String> operations = new HashMap<>();

  /** Names of Hosts that their owner deleted. */
  private final Set<String> deleted = new HashSet<>();

  /** Whether a Pod with this UID is one that IdleOnly promises to leave alone. */
  private Predicate<String> isProtected = uid -> false;

  private final Map<String, Integer> heldByPool = new HashMap<>();
  private final Map<String, Integer> highestTarget = new HashMap<>();
  private final Map<String, Integer> highestQuota = new HashMap<>();

  Invariants(WorldCluster cluster) {
    this.cluster = cluster;
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
    if (!(seen instanceof Observation.HostSeen(Host host))) {
      return;
    }
    String uid = host.id().uid();
    String before = holders.getOrDefault(uid, "");
    String after = host.assignment().map(assignment -> assignment.pool().uid()).orElse("");
    if (before.equals(after)) {
      return;
    }
    require(
        before.isEmpty() || after.isEmpty(),
        "Host {} went from pool {} to pool {} without being free between",
        host.id().name(),
        before,
        after);
    holders.put(uid, after);
    heldByPool.merge(before, -1, Integer::sum);
    int held = heldByPool.merge(after, 1, Integer::sum);
    int highest = highestTarget.getOrDefault(after, 0);
    if (!after.isEmpty()) {
      require(
          !cluster.nodes().containsKey(host.id().name()),
          "Host {} was assigned while a Node of an earlier tenancy stands",
          host.id().name());
      require(
          held <= highest,
          "pool {} holds {} Hosts and never wanted more than {}",
          after,
          held,
          highest);
    }
  }

  /** Checks an intent as it is sent, whether it arrives or not: one need has one operation id. */
  void sent(Action action) {
    if (action instanceof Action.OnHost(HostOperation.Assign assign)) {
      String tenancy = assign.host().uid() + "/" + (assign.tenancyBefore() + 1);
      String pool = assign.pool().uid();
      String used = operations.putIfAbsent(tenancy + "/" + pool, assign.id());
      require(
          used == null || used.equals(assign.id()),
          "assignment of {} to {} was asked for as {} and as {}",
          tenancy,
          pool,
          used,
          assign.id());
    }
  }

  /** Checks an intent before it takes effect. */
  void before(Action action) {
    noHarm(action);
    if (action instanceof Action.DeleteNode(String name, String uid)) {
      Node node = cluster.nodes().get(name);
      Host host = cluster.hosts().get(name);
      require(
          node == null
              || !node.uid().equals(uid)
              || host == null
              || host.tenancy() != node.tenancy()
              || !host.is(HostPhase.RUNNING),
          "Node {} is deleted while its machine runs",
          name);
    }
  }

  /** From here on no live Pod of these, by UID, may be harmed where only idle Nodes may go. */
  void protect(Predicate<String> next) {
    isProtected = next;
  }

  private void noHarm(Action action) {
    switch (action) {
      case Action.EvictPod(Action.Subject.OfPod pod, var _) -> noHarm(pod.node(), pod.uid());
      case Action.DeletePod(Action.Subject.OfPod pod, var _) -> noHarm(pod.node(), pod.uid());
      case Action.OnHost(HostOperation.Stop stop) -> {
        String name = stop.host().name();
        cluster.pods().values().stream()
            .filter(pod -> pod.nodeName().equals(name))
            .forEach(pod -> noHarm(name, pod.uid()));
      }
      case Action.OnHost _,
          Action.ReportNode _,
          Action.Cordon _,
          Action.MarkRemoval _,
          Action.UnmarkRemoval _,
          Action.BeginRemoval _,
          Action.ReportRemoval _,
          Action.ListPods _,
          Action.ApplyMetadata _,
          Action.DeleteNode _,
          Action.LabelNamespace _,
          Action.RelabelNamespace _,
          Action.AskLabelAuthor _,
          Action.PublishStatus _,
          Action.LookAtMachine _,
          Action.Confirm _,
          Action.ConfirmEmpty _ -> {}
    }
  }

  private void noHarm(String node, String podUid) {
    Pod pod = cluster.pods().get(podUid);
    boolean idleOnly =
        Optional.ofNullable(cluster.hosts().get(node))
            .flatMap(Host::assignment)
            .flatMap(assignment -> cluster.pool(assignment.pool().name()))
            .filter(pool -> pool.spec().scaleDownStrategy() == PoolSpec.ScaleDownStrategy.IDLE_ONLY)
            .isPresent();
    require(
        pod == null || !idleOnly || pod.deletedAt().isPresent() || !isProtected.test(podUid),
        "Pod {} works on Node {} and is harmed",
        podUid,
        node);
  }

  /** Checks the whole cluster. */
  void check(Instant now) {
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

  /** What the objects alone say that a pool uses: that is what outlives the operator. */
  private int quotaUse(Pool pool) {
    int held = heldByPool.getOrDefault(pool.id().uid(), 0);
    int granted = pool.status().growth().map(Growth::granted).orElse(0);
    return pool.isLeaving() ? held : Math.max(held, granted);
  }

  private static void require(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new InvariantBroken(MessageFormatter.arrayFormat(message, arguments).getMessage());
    }
  }

  /** An invariant did not hold. */
  static final class InvariantBroken extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    InvariantBroken(String message) {
      super(message);
    }
  }
}
