package io.nodepool.world.check;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Action;
import io.nodepool.world.check.cause.RepairWaits;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorProcess;
import io.nodepool.world.operator.WatchStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks that nothing which was begun is forgotten: each disruption that a Node's record reports as
 * admitted or committed, each Node without a Host, which has to leave, each rollout that runs, and
 * each command of a user has a next step. That is a request or an observation on its way, a loop
 * that is due, a timer, or a wait that is published on the object and names what it waits for. What
 * a wait names is compared with the cluster: one that is over is none. Timers alone are a next step
 * for some hours at most, unless the object or, of a pool, one of its Hosts changes meanwhile.
 *
 * <p>An operator may be disturbed at any time, so a lack counts once it lasted for some time in
 * which an operator could act. Only objects with something under way are checked, and each of them
 * every few seconds, or after each step while it lacks a next one.
 */
public final class Liveness {
  private static final Duration BOUND = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(5);

  /** How long timers alone are a next step: no deadline of the operator is later. */
  private static final Duration LONGEST = Duration.ofHours(6);

  private final WorldCluster cluster;
  private final PublishedWaits waits;
  private final HostlessNodes hostless;

  /** What is under way, by the loop that has to continue it. */
  private final Map<ReconcileKey, Course> courses = new LinkedHashMap<>();

  /** The operator that was able to act at the last check. */
  private @Nullable OperatorProcess able;

  /** Something that is under way on one object. */
  private static final class Course {
    Instant checkAt = Instant.MIN;

    /** Since when it has had no next step; null while it has one. */
    @Nullable Instant lacksSince;

    /** Whether its object changed since the last check, and when that was found last. */
    boolean changed = true;

    Instant changedAt = Instant.MIN;
  }

  /** Checks a cluster from now on. */
  public Liveness(WorldCluster cluster) {
    this.waits = new PublishedWaits(cluster);
    this.hostless = new HostlessNodes(cluster);
    this.cluster = cluster;
    cluster.watch(
        this::see, WorldCluster.Kind.NODES, WorldCluster.Kind.HOSTS, WorldCluster.Kind.POOLS);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node node)) {
      keep(
          new ReconcileKey.OfMachine(node.name()),
          node.isTerminating() || hostless.isWithoutHost(node));
    } else if (seen instanceof Observation.HostSeen(Host host)) {
      check(host.id().name());
      noteChange(host.id().name());
    } else if (seen instanceof Observation.HostGone(HostId host, long _)) {
      check(host.name());
    } else if (seen instanceof Observation.NodeGone(String name, String _, long _)) {
      keep(new ReconcileKey.OfMachine(name), false);
    } else if (seen instanceof Observation.PoolSeen(Pool pool)) {
      keep(new ReconcileKey.OfPool(pool.id().name()), isUnderWay(pool));
    } else if (seen instanceof Observation.PoolGone(var pool, long _)) {
      keep(new ReconcileKey.OfPool(pool.name()), false);
    }
  }

  /** Keeps the Node of this name, if it has one, while it has to leave or is disrupted. */
  private void check(String machine) {
    Node node = cluster.nodes().get(machine);
    if (node != null) {
      keep(
          new ReconcileKey.OfMachine(machine),
          node.isTerminating() || hostless.isWithoutHost(node));
    }
  }

  /** A change of a machine is one of its pool: its rollout comes further by it. */
  private void noteChange(String machine) {
    waits
        .poolOf(machine)
        .map(pool -> courses.get(new ReconcileKey.OfPool(pool)))
        .ifPresent(course -> course.changed = true);
  }

  private void keep(ReconcileKey key, boolean underWay) {
    if (underWay) {
      courses.computeIfAbsent(key, _ -> new Course()).changed = true;
    } else {
      courses.remove(key);
    }
  }

  private static boolean isUnderWay(Pool pool) {
    var commands = pool.spec().configuration().commands();
    RolloutState.Phase phase = pool.status().configuration().rollout().phase();
    // Without a configuration, a command waits until its fleet offers one.
    return !pool.isTerminating()
        && !pool.status().configuration().profile().isEmpty()
        && (phase == RolloutState.Phase.RUNNING
            || phase == RolloutState.Phase.PAUSED
            || commands.isWaiting()
            || commands.open(pool.status().configuration().handled().command()).isPresent());
  }

  /**
   * Checks what is under way.
   *
   * @param operator the operator that can act now: it leads, has observed the cluster, and reaches
   *     the API server; empty if none can
   */
  public void check(Instant now, Optional<OperatorProcess> operator) {
    OperatorProcess next = operator.orElse(null);
    if (able != next) {
      able = next;
      courses.values().forEach(Liveness::restart);
    }
    if (next != null) {
      courses.forEach((key, course) -> check(key, course, next, now));
    }
  }

  private static void restart(Course course) {
    course.lacksSince = null;
    course.changed = true;
  }

  private void check(ReconcileKey key, Course course, OperatorProcess operator, Instant now) {
    if (now.isBefore(course.checkAt)) {
      return;
    }
    course.changedAt = course.changed ? now : course.changedAt;
    course.changed = false;
    if (operator.willRun(key)
        || isAwaited(key, operator)
        || isAboutToBePublished(key, operator)
        || waits.isWaiting(key, now)) {
      course.lacksSince = null;
      course.checkAt = now.plus(PAUSE);
      // What waits as published does not only have timers.
      course.changedAt = waits.isWaiting(key, now) ? now : course.changedAt;
      Invariants.require(
          !now.isAfter(course.changedAt.plus(LONGEST).plus(waits.longest(key)))
              || waits.isWaiting(key, now),
          "{} has only had timers since {}: {}",
          key,
          course.changedAt,
          waits.text(key));
      return;
    }
    if (course.lacksSince == null) {
      course.lacksSince = now;
    }
    Invariants.require(
        !now.isAfter(course.lacksSince.plus(BOUND)),
        "{} has had no next step since {}: {}",
        key,
        course.lacksSince,
        waits.text(key));
  }

  /**
   * Whether a machine waits for what its pool publishes first: the failure of its reboot (decision
   * D177), or that work keeps it without a Host. Then a next step of the pool is one of the
   * machine.
   */
  private boolean isAboutToBePublished(ReconcileKey key, OperatorProcess operator) {
    if (!(key instanceof ReconcileKey.OfMachine(String machine))) {
      return false;
    }
    if (waitsToLeave(machine, operator)) {
      return true;
    }
    return waits
        .poolOf(machine)
        .flatMap(name -> cluster.pool(name))
        .filter(pool -> isAwaitedFailure(machine, pool) || isKeptWithoutHost(machine))
        .map(pool -> new ReconcileKey.OfPool(pool.id().name()))
        .filter(pool -> operator.willRun(pool) || isAwaited(pool, operator))
        .isPresent();
  }

  private boolean isAwaitedFailure(String machine, Pool pool) {
    Host host = cluster.hosts().get(machine);
    return host != null
        && host.is(HostPhase.FAILED)
        && host.boot().isPresent()
        && !isPublished(pool, host.boot().get());
  }

  private boolean isKeptWithoutHost(String machine) {
    Node node = cluster.nodes().get(machine);
    return node != null && hostless.isKept(node);
  }

  /**
   * Whether its Node waits until it may leave after a failed reboot (decision D221), or be
   * repaired: for a next step of its pool, or for a person, as that publishes.
   */
  private boolean waitsToLeave(String machine, OperatorProcess operator) {
    Node node = cluster.nodes().get(machine);
    return node != null
        && (node.failedReboot().isPresent() || RepairWaits.isAdmitted(node))
        && waits
            .poolOf(machine)
            .flatMap(name -> cluster.pool(name))
            .filter(pool -> {
              ReconcileKey key = new ReconcileKey.OfPool(pool.id().name());
              return pool.status().failedReboots().hold().isPresent()
                  || operator.willRun(key)
                  || isAwaited(key, operator);
            })
            .isPresent();
  }

  private static boolean isPublished(Pool pool, BootRequest failed) {
    return pool.status().configuration().revisions().stream()
        .flatMap(revision -> revision.boots().failures().stream())
        .anyMatch(each -> each.begunAt().equals(failed.at()));
  }

  /**
   * Whether something is on its way that makes this loop run: the answer to a request of its own or
   * about its object, the read of such a write that is in doubt, or an observation that concerns
   * it. What is on its way for another object is no next step of this one.
   */
  private boolean isAwaited(ReconcileKey key, OperatorProcess operator) {
    return operator.requests.stream()
            .anyMatch(request ->
                request.owner.equals(key)
                    || request.subjects.stream().anyMatch(subject -> isOf(key, subject)))
        || (operator.willRun(new ReconcileKey.OfWrites())
            && operator.doubts.entrySet().stream()
                .anyMatch(doubt -> doubt.getValue().equals(key) || isOf(key, doubt.getKey())))
        || operator.onTheirWay().anyMatch(seen -> concerns(key, seen));
  }

  private static boolean isOf(ReconcileKey key, Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(HostId host) -> isMachine(key, host.name());
      case Action.Subject.OfNode(String name, String _) -> isMachine(key, name);
      case Action.Subject.OfPod(_, _, _, String node) -> isMachine(key, node);
      case Action.Subject.OfPool(var pool) -> key.equals(new ReconcileKey.OfPool(pool.name()));
      case Action.Subject.OfNamespace _ -> false;
    };
  }

  private static boolean isMachine(ReconcileKey key, String name) {
    return key.equals(new ReconcileKey.OfMachine(name));
  }

  private boolean concerns(ReconcileKey key, Observation seen) {
    return switch (seen) {
      case Observation.HostSeen _,
          Observation.HostGone _,
          Observation.HostUnreadable _,
          Observation.MachineRead _,
          Observation.NodeSeen _,
          Observation.NodeGone _,
          Observation.NodeUnreadable _,
          Observation.PodsListed _,
          Observation.RequestTimed _,
          Observation.JobSeen _,
          Observation.Announced _ ->
          concernsMachine(key, WatchStream.name(seen));
      case Observation.SignalsSeen(var signals) -> concernsMachine(key, signals.host());
      case Observation.SignalsGone(String host, String _, long _) -> concernsMachine(key, host);
      case Observation.SourceSeen _, Observation.SourceGone _ ->
          key instanceof ReconcileKey.OfMachine;
      case Observation.PodSeen(var pod) -> concernsMachine(key, pod.nodeName());
      case Observation.PodGone(String node, String _, long _) -> concernsMachine(key, node);
      case Observation.EvictionTried(String node, String _, var _) -> concernsMachine(key, node);
      case Observation.PoolSeen _,
          Observation.PoolGone _,
          Observation.PoolFoundEmpty _,
          Observation.PoolUnreadable _ ->
          concernsPool(key, WatchStream.name(seen));
      case Observation.NamespaceSeen _,
          Observation.NamespaceAuthored _,
          Observation.NamespaceGone _,
          Observation.OfferSeen _,
          Observation.OfferLost _,
          Observation.CatalogueSeen _,
          Observation.CatalogueRefused _,
          Observation.HostsDefined _,
          Observation.ApiServerSeen _ ->
          true;
    };
  }

  /** A machine's observations concern its pool too. */
  private boolean concernsMachine(ReconcileKey key, String machine) {
    return isMachine(key, machine)
        || (key instanceof ReconcileKey.OfPool(String pool)
            && waits.poolOf(machine).filter(pool::equals).isPresent());
  }

  /** A pool's observations concern its machines too. */
  private boolean concernsPool(ReconcileKey key, String pool) {
    return key.equals(new ReconcileKey.OfPool(pool))
        || (key instanceof ReconcileKey.OfMachine(String machine)
            && waits.poolOf(machine).filter(pool::equals).isPresent());
  }
}
