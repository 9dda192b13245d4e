package io.nodepool.world.check;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.chronicle.RolloutHistory;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Request;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The operator's promises about the reboots of a rollout: those that no client requested on the
 * Node. They are judged by what users wrote on the pool, and by the Nodes and Hosts as the operator
 * had observed them when it cordoned the Node.
 */
final class RolloutPath {
  /**
   * How often a Node is rebooted into one configuration at most, without its becoming active again
   * and without another start of the rollout.
   */
  private static final int REBOOTS = 3;

  /**
   * When a Node was cordoned, and what was known then.
   *
   * @param knownSince since when the operator observed what it decided on
   * @param requested whether a client had requested a reboot of it
   * @param reached the most Nodes that the pool had of its target
   * @param soaks the canaries of the pool that had soaked by then, by configuration
   */
  private record Admission(
      Instant at,
      Instant knownSince,
      boolean requested,
      Optional<PoolLevel> level,
      int reached,
      Set<String> soaks) {}

  /** The boot of a Node into a configuration. */
  private record Turn(String poolUid, String host, String configuration, Instant admittedAt) {}

  private final OperatorViews views;
  private final WorldCluster cluster;
  private final InstantSource clock;
  private final ConsentPath consents;
  private final CanarySoaks soaks = new CanarySoaks();

  private final ReachedSizes reached;

  private final Map<String, Integer> occasions = new HashMap<>();

  /** By the UID of the Node. */
  private final Map<String, Admission> admissions = new HashMap<>();

  private final Map<String, Turn> turns = new HashMap<>();
  private final Map<String, Integer> reboots = new HashMap<>();

  /** The operations of these reboots, of which each is one, however often it is requested. */
  private final Set<String> operations = new HashSet<>();

  /** The pools as last observed, by UID. */
  private final Map<String, Pool> pools = new HashMap<>();

  /** Whether the operator's write takes effect now. */
  private boolean operatorWrites;

  RolloutPath(
      WorldCluster cluster, InstantSource clock, ConsentPath consents, OperatorViews views) {
    this.views = views;
    this.cluster = cluster;
    this.clock = clock;
    this.consents = consents;
    this.reached = new ReachedSizes(cluster);
    cluster.watch(this::see, WorldCluster.Kind.POOLS, WorldCluster.Kind.NODES);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.PoolSeen(Pool pool)) {
      see(pool);
    } else if (seen instanceof Observation.NodeSeen(Node node)
        && (isTakenOut(node) || (node.ready() && isBack(node)))) {
      turns.remove(node.uid());
    } else if (seen instanceof Observation.NodeGone(String _, String uid, long _)) {
      admissions.remove(uid);
      turns.remove(uid);
    }
  }

  /**
   * Whether a client removed the record of its reboot, which ends that (decision D146). The
   * operator itself replaces records, and removes none of a reboot.
   */
  private static boolean isTakenOut(Node node) {
    return node.disruption().isEmpty();
  }

  /**
   * Whether its turn is over: it is in production again, also in another configuration, and another
   * client's cordon may stay on it.
   */
  private static boolean isBack(Node node) {
    return !node.cordoned() || node.metadata().label(NodeLabels.STATE).equals("production");
  }

  private void see(Pool pool) {
    String uid = pool.id().uid();
    Pool last = pools.put(uid, pool);
    String word = command(pool);
    if (!word.isEmpty() && (last == null || !word.equals(command(last)))) {
      occasions.merge(uid, 1, Integer::sum);
    }
    if (!operatorWrites && last != null && !last.status().equals(pool.status())) {
      // What a client writes there counts as commanded by its user.
      occasions.merge(uid, 1, Integer::sum);
    }
    String before = last == null ? "" : last.status().nodeProfile();
    if (!pool.status().nodeProfile().equals(before)) {
      occasions.merge(uid, 1, Integer::sum);
      if (last != null
          && !before.isEmpty()
          && RolloutHistory.isIn(RolloutState.Phase.NONE, last)
          && isOfMost(uid, before)) {
        soaks.prove(uid, before);
      }
    }
  }

  /** The command that stands on a pool. The same word given once more is another command. */
  private static String command(Pool pool) {
    return pool.spec().configuration().commands().asked().rollout().orElse("");
  }

  /** Whether most machines of a pool booted this configuration. */
  private boolean isOfMost(String uid, String configuration) {
    List<String> booted =
        cluster.hosts().values().stream()
            .filter(host -> host.serves(uid))
            .map(host -> host.report().bootedConfiguration())
            .filter(each -> !each.isEmpty())
            .toList();
    return 2 * Collections.frequency(booted, configuration) > booted.size();
  }

  /**
   * Follows the canaries.
   *
   * @param leader what the leading operator has observed, once it has observed everything
   */
  void check(Instant now, Optional<OperatorView> leader) {
    soaks.follow(leader, now);
  }

  /** Checks an intent that is about to take effect. */
  void before(Action action) {
    operatorWrites = true;
    if (action instanceof Action.OnHost(HostOperation.Boot boot)
        && boot.request().attempt() == 1
        && boot.request().kind().boots()) {
      Host host = cluster.hosts().get(boot.host().name());
      Node node = cluster.nodes().get(boot.host().name());
      if (host != null
          && node != null
          && host.isHeldBy(boot.pool().uid())
          && host.boot().filter(last -> isSame(last, boot.request())).isEmpty()) {
        boots(host, node, boot);
      }
    }
  }

  private static boolean isSame(BootRequest last, BootRequest next) {
    return last.isOf(next.operation()) && last.attempt() == next.attempt();
  }

  /** Records that a Node was cordoned. */
  void after(Request request, Action action, Answer<Observation> answer) {
    operatorWrites = false;
    if (action instanceof Action.WriteNode write
        && write.isFor(NodePurpose.ADMIT)
        && answer instanceof Answer.Done<Observation>(Observation.NodeSeen(Node node))) {
      Optional<PoolLevel> level = views.of(request).level();
      admissions.put(
          node.uid(),
          new Admission(
              clock.instant(),
              request.knownSince,
              isRequested(node),
              level,
              reached.of(node.poolUid()),
              level.map(each -> soaks.at(each, clock.instant())).orElse(Set.of())));
    }
  }

  private static boolean isRequested(Node node) {
    return !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty();
  }

  private void boots(Host host, Node node, HostOperation.Boot boot) {
    String poolUid = boot.pool().uid();
    Admission admission = admissions.get(node.uid());
    if (isRequested(node) || (admission != null && admission.requested())) {
      return;
    }
    String name = node.name();
    if (admission == null) {
      throw new Invariants.InvariantBroken(
          "Node %s is rebooted, and nobody asked for it".formatted(name));
    }
    if (consents.isRepairDemanded(node, admission.knownSince())) {
      return;
    }
    Invariants.require(
        consents.isRolledOut(poolUid, admission.knownSince()),
        "Node {} was begun at {}, and since {} no rollout went on that a user started",
        name,
        admission.at(),
        admission.knownSince());
    String configuration = boot.configuration(host.occupancy().configuration());
    admission
        .level()
        .ifPresent(level -> {
          keepsTheLimit(poolUid, host, admission, level);
          keepsTheCanary(poolUid, host, configuration, admission, level);
        });
    turns.put(node.uid(), new Turn(poolUid, name, configuration, admission.at()));
    String occasion =
        "%s %s %d".formatted(node.uid(), configuration, occasions.getOrDefault(poolUid, 0));
    int more = operations.add(boot.request().operation()) ? 1 : 0;
    Invariants.require(
        reboots.merge(occasion, more, Integer::sum) <= REBOOTS,
        "Node {} is rebooted into {} more than {} times",
        name,
        configuration,
        REBOOTS);
  }

  /**
   * A Node that tenants could use begins only while fewer than the limit are unavailable or gone,
   * and another one only while fewer than the limit have their turn.
   */
  private void keepsTheLimit(String poolUid, Host host, Admission admission, PoolLevel level) {
    if (level.isAllocatedSingly() && level.isUnavailable(host)) {
      long others =
          underWay(poolUid)
              .filter(turn -> turn.admittedAt().isBefore(admission.at()))
              .filter(turn -> !turn.host().equals(host.id().name()))
              .count();
      Invariants.require(
          others < level.most(),
          "Node {}, which was unavailable, was begun by a rollout beside {} others, and {} may be",
          host.id().name(),
          others,
          level.most());
      return;
    }
    int missing = level.missing(admission.reached());
    Invariants.require(
        level.unavailableBeside(host) + missing < level.most(),
        "Node {} was begun by a rollout while {} were unavailable and {} gone, and {} may be",
        host.id().name(),
        level.unavailable(),
        missing,
        level.most());
  }

  /**
   * The turns in a pool that have not booted. A machine that left the pool boots no more: its Node,
   * which finalizers keep, has no turn.
   */
  private Stream<Turn> underWay(String poolUid) {
    return turns.values().stream()
        .filter(turn -> turn.poolUid().equals(poolUid))
        .filter(turn ->
            cluster
                .host(turn.host())
                .filter(host -> host.isHeldBy(poolUid) && !hasBooted(turn, host.report()))
                .isPresent());
  }

  private static boolean hasBooted(Turn turn, Host.Report report) {
    return report.boot().cycle().isEmpty()
        && report.bootedConfiguration().equals(turn.configuration());
  }

  /**
   * Beside the canary a Node begins only after the canary has soaked. A canary of racks is whole
   * racks, so that a Node may begin beside others of its own.
   */
  private void keepsTheCanary(
      String poolUid, Host host, String configuration, Admission admission, PoolLevel level) {
    if (level.canary() == 0
        || level.isOfMost(configuration)
        || admission.soaks().contains(configuration)) {
      return;
    }
    long others =
        underWay(poolUid)
            .filter(turn -> turn.configuration().equals(configuration))
            .filter(turn -> !turn.admittedAt().isAfter(admission.at()))
            .flatMap(turn -> cluster.host(turn.host()).stream())
            .filter(other -> level.isBeside(other, host))
            .count();
    long canary = level.provenBeside(configuration, host) + others;
    Invariants.require(
        canary < level.canary(),
        "Node {} was begun while {} are in the canary of {}, which has not soaked for {}",
        host.id().name(),
        canary,
        level.canary(),
        level.settings().soak());
  }
}
