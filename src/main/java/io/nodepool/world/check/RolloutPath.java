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
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.nodepool.world.Request;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

  /** A user's last command about a pool's rollout. */
  private record Command(String word, Instant at) {
    static final Command NONE = new Command("", Instant.MAX);
  }

  /**
   * When a Node was cordoned, and what was known then.
   *
   * @param requested whether a client had requested a reboot of it
   * @param soaks the canaries of the pool that had soaked by then, by configuration
   */
  private record Begin(
      Instant at, boolean requested, Optional<PoolLevel> level, CanarySoaks.Soaked soaks) {}

  /** The boot of a Node into a configuration. */
  private record Turn(String poolUid, String host, String configuration, Instant begunAt) {}

  private final WorldCluster cluster;
  private final InstantSource clock;
  private final CanarySoaks soaks = new CanarySoaks();

  /** By the UID of the pool. */
  private final Map<String, Command> commands = new HashMap<>();

  /** UIDs of pools on which a command stands. The same word given once more is another command. */
  private final Set<String> waiting = new HashSet<>();

  /** UIDs of pools with a rollout that did not complete. */
  private final Set<String> rolling = new HashSet<>();

  private final Map<String, String> active = new HashMap<>();
  private final Map<String, Integer> occasions = new HashMap<>();

  /** By the UID of the Node. */
  private final Map<String, Begin> begins = new HashMap<>();

  private final Map<String, Turn> turns = new HashMap<>();
  private final Map<String, Integer> reboots = new HashMap<>();

  /** The operations of these reboots, of which each is one, however often it is requested. */
  private final Set<String> operations = new HashSet<>();

  private Instant calmSince = Instant.MIN;

  RolloutPath(WorldCluster cluster, InstantSource clock) {
    this.cluster = cluster;
    this.clock = clock;
    cluster.watch(WorldCluster.Kind.POOLS, this::see);
    cluster.watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.PoolSeen(Pool pool)) {
      see(pool);
    } else if (seen instanceof Observation.NodeSeen(Node node)
        && (isTakenOut(node) || (node.ready() && !node.cordoned()))) {
      turns.remove(node.uid());
    } else if (seen instanceof Observation.NodeGone(String _, String uid, long _)) {
      begins.remove(uid);
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

  private void see(Pool pool) {
    String uid = pool.id().uid();
    Optional<String> given = pool.spec().configuration().commands().asked().rollout();
    boolean stood = given.isEmpty() ? waiting.remove(uid) : !waiting.add(uid);
    given
        .filter(word -> !stood || !commands.getOrDefault(uid, Command.NONE).word().equals(word))
        .ifPresent(word -> {
          commands.put(uid, new Command(word, clock.instant()));
          occasions.merge(uid, 1, Integer::sum);
        });
    String profile = pool.status().nodeProfile();
    if (profile.isEmpty() && !active.getOrDefault(uid, "").isEmpty()) {
      // Its status was lost, and with it what the user had commanded.
      commands.put(uid, new Command(PoolAnnotations.STOP, clock.instant()));
    }
    String before = active.getOrDefault(uid, "");
    if (!profile.equals(before)) {
      active.put(uid, profile);
      occasions.merge(uid, 1, Integer::sum);
      if (!before.isEmpty() && !rolling.contains(uid) && isOfMost(uid, before)) {
        soaks.prove(uid, before);
      }
    }
    if (pool.status().configuration().rollout().phase() == RolloutState.Phase.NONE) {
      rolling.remove(uid);
    } else {
      rolling.add(uid);
    }
  }

  /** Whether most machines of a pool booted this configuration. */
  private boolean isOfMost(String uid, String configuration) {
    List<String> booted =
        cluster.hosts().values().stream()
            .filter(host -> host.isHeldBy(uid))
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
  void check(Instant now, Instant calm, Optional<OperatorView> leader) {
    calmSince = calm;
    soaks.follow(leader, now);
  }

  /** Checks an intent that is about to take effect. */
  void before(Action action) {
    if (action instanceof Action.OnHost(HostOperation.Boot boot)
        && boot.request().attempt() == 1
        && boot.request().kind().boots()) {
      Host host = cluster.hosts().get(boot.host().name());
      Node node = cluster.nodes().get(boot.host().name());
      if (host != null
          && node != null
          && host.isHeldBy(boot.pool().uid())
          && host.boot().filter(last -> isSame(last, boot.request())).isEmpty()) {
        boots(boot.pool().uid(), host, node, boot.request().operation());
      }
    }
  }

  private static boolean isSame(BootRequest last, BootRequest next) {
    return last.isOf(next.operation()) && last.attempt() == next.attempt();
  }

  /** Records that a Node was cordoned. */
  void after(Request request, Action action, Answer<Observation> answer) {
    if (action instanceof Action.RecordDisruption record
        && record.change() == Action.Change.ADMIT
        && answer instanceof Answer.Done<Observation>(Observation.NodeSeen(Node node))) {
      Optional<PoolLevel> level = request.view.level();
      begins.put(
          node.uid(),
          new Begin(
              clock.instant(),
              isRequested(node),
              level,
              level.map(each -> soaks.at(each, clock.instant())).orElse(CanarySoaks.Soaked.NONE)));
    }
  }

  private static boolean isRequested(Node node) {
    return !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty();
  }

  private void boots(String poolUid, Host host, Node node, String operation) {
    Begin begin = begins.get(node.uid());
    if (isRequested(node) || (begin != null && begin.requested())) {
      return;
    }
    String name = node.name();
    if (begin == null) {
      throw new Invariants.InvariantBroken(
          "Node %s is rebooted, and nobody asked for it".formatted(name));
    }
    isCommanded(poolUid, name, begin);
    String configuration = host.occupancy().configuration();
    begin
        .level()
        .ifPresent(level -> {
          Invariants.require(
              level.unavailableBeside(host) < level.most(),
              "Node {} was begun by a rollout while {} were unavailable, and {} may be",
              name,
              level.unavailable(),
              level.most());
          keepsTheCanary(poolUid, node, configuration, begin, level);
        });
    turns.put(node.uid(), new Turn(poolUid, name, configuration, begin.at()));
    String occasion =
        "%s %s %d".formatted(node.uid(), configuration, occasions.getOrDefault(poolUid, 0));
    int more = operations.add(operation) ? 1 : 0;
    Invariants.require(
        reboots.merge(occasion, more, Integer::sum) <= REBOOTS,
        "Node {} is rebooted into {} more than {} times",
        name,
        configuration,
        REBOOTS);
  }

  /** A Node begins only after a user started a rollout, and not long after one stopped it. */
  private void isCommanded(String poolUid, String name, Begin begin) {
    Command last = commands.getOrDefault(poolUid, Command.NONE);
    Invariants.require(
        !last.word().isEmpty(), "Node {} is rebooted, and no rollout was started", name);
    boolean stopped =
        last.word().equals(PoolAnnotations.STOP)
            && !calmSince.isAfter(last.at())
            && begin.at().isAfter(last.at().plus(Consent.REACTION));
    Invariants.require(
        !stopped, "Node {} was begun at {}, after the stop at {}", name, begin.at(), last.at());
  }

  /** A machine that left the pool boots no more: its Node, which finalizers keep, has no turn. */
  private boolean isHeld(Turn turn) {
    return Optional.ofNullable(cluster.hosts().get(turn.host()))
        .filter(host -> host.isHeldBy(turn.poolUid()))
        .isPresent();
  }

  private boolean hasBooted(Turn turn) {
    return Optional.ofNullable(cluster.hosts().get(turn.host()))
        .map(Host::report)
        .filter(report -> report.boot().cycle().isEmpty())
        .filter(report -> report.bootedConfiguration().equals(turn.configuration()))
        .isPresent();
  }

  /** Beside the canary a Node begins only after the canary has soaked. */
  private void keepsTheCanary(
      String poolUid, Node node, String configuration, Begin begin, PoolLevel level) {
    if (level.canary() == 0
        || level.isInRacks()
        || level.isOfMost(configuration)
        || begin.soaks().contains(configuration)) {
      return;
    }
    long others =
        turns.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(node.uid()))
            .filter(entry -> entry.getValue().poolUid().equals(poolUid))
            .filter(entry -> entry.getValue().configuration().equals(configuration))
            .filter(entry -> !entry.getValue().begunAt().isAfter(begin.at()))
            .filter(entry -> isHeld(entry.getValue()) && !hasBooted(entry.getValue()))
            .count();
    Invariants.require(
        level.upToDate(configuration) + others < level.canary(),
        "Node {} was begun while {} are in the canary of {}, which has not soaked for {}",
        node.name(),
        level.upToDate(configuration) + others,
        level.canary(),
        level.settings().soak());
  }
}
