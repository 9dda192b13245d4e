package io.nodepool.world.check;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.check.cause.RepairWaits;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What objects publish that they wait for, compared with the cluster: a wait for something that is
 * over is none.
 */
final class PublishedWaits {
  private static final Pattern LIMIT =
      Pattern.compile("(\\d+) (racks )?unavailable of at most (\\d+)");
  private static final Pattern GONE = Pattern.compile("(\\d+) gone and not replaced yet");
  private static final Pattern CORDONED = Pattern.compile(", \\d+ cordoned by others");
  private static final Pattern BUSY = Pattern.compile(", \\d+ busy");
  private static final Pattern PASSED_OVER = Pattern.compile(", \\d+ passed over");
  private static final Pattern MISSED =
      Pattern.compile("(\\d+) in another configuration after repeated boots");

  private static final Pattern HELD = Pattern.compile(", \\d+ with machines that are held");
  private static final Pattern CANARY = Pattern.compile(", waiting for \\d+ of a canary of \\d+");

  private static final Pattern UNREAD = Pattern.compile(", \\d+ that cannot be read");

  private final WorldCluster cluster;
  private final HostlessNodes hostless;

  /** How long the repairs of others may take that go first, one after the other. */
  private static final Duration REPAIRS = Duration.ofHours(24);

  private final RepairWaits repairs;

  PublishedWaits(WorldCluster cluster) {
    this.cluster = cluster;
    this.hostless = new HostlessNodes(cluster);
    this.repairs = new RepairWaits(cluster);
  }

  /** Whether the object of this loop publishes that it waits, and what it waits for lasts. */
  boolean isWaiting(ReconcileKey key, Instant now) {
    return switch (key) {
      case ReconcileKey.OfMachine(String name) ->
          isUnreadable(name)
              || waitsForFleet(name)
              || cluster.node(name).filter(node -> isWaiting(node, now)).isPresent()
              || repairs.isPreserved(name, now);
      case ReconcileKey.OfPool(String name) ->
          cluster.isGarbled(WorldCluster.Kind.POOLS, name)
              || cluster.pool(name).filter(this::hasNoConfiguration).isPresent()
              || cluster.pool(name).filter(pool -> isWaiting(pool, now)).isPresent();
      case ReconcileKey.OfNamespace _, ReconcileKey.OfWrites _ -> false;
    };
  }

  /** How long the canary of the pool of this loop soaks, or a machine is kept for inspection. */
  Duration longest(ReconcileKey key) {
    return switch (key) {
      case ReconcileKey.OfPool(String name) ->
          cluster
              .pool(name)
              .map(pool -> pool.spec().configuration().rollout().soak())
              .orElse(Duration.ZERO);
      case ReconcileKey.OfMachine(String name) ->
          cluster.host(name).flatMap(Host::preserved).isPresent()
              ? PlanSettings.PreserveSettings.DEFAULTS.time()
              : cluster.node(name).filter(RepairWaits::isAdmitted).isPresent()
                  ? REPAIRS
                  : Duration.ZERO;
      case ReconcileKey.OfNamespace _, ReconcileKey.OfWrites _ -> Duration.ZERO;
    };
  }

  /** Nothing is done about an object that cannot be read, which an Event reports. */
  private boolean isUnreadable(String machine) {
    return cluster.isGarbled(WorldCluster.Kind.NODES, machine)
        || cluster.isGarbled(WorldCluster.Kind.HOSTS, machine)
        || cluster
            .host(machine)
            .flatMap(Host::assignment)
            .filter(held -> cluster.isGarbled(WorldCluster.Kind.POOLS, held.pool().name()))
            .isPresent();
  }

  /**
   * The fleet's offer cannot be read, as its pool says. Open: a Node whose pool is gone does not
   * say what it waits for.
   */
  private boolean waitsForFleet(String machine) {
    Optional<String> lost = lostOffer();
    return lost.isPresent()
        && holder(machine)
            .or(() -> poolWithoutHosts(machine))
            .flatMap(cluster::pool)
            .map(pool -> reports(pool, lost.get()))
            .orElse(true);
  }

  private Optional<String> holder(String machine) {
    return cluster.host(machine).flatMap(Host::assignment).map(held -> held.pool().name());
  }

  /** The pool that the Node names: while the definition of Hosts is missing, no Host says it. */
  private Optional<String> poolWithoutHosts(String machine) {
    return cluster.hosts().isEmpty() ? poolOfNode(machine) : Optional.empty();
  }

  private Optional<String> poolOfNode(String machine) {
    return cluster.node(machine).flatMap(cluster::poolOf).map(pool -> pool.id().name());
  }

  /** The pool that holds the Host of this name, or that its Node names. */
  Optional<String> poolOf(String machine) {
    return holder(machine).or(() -> poolOfNode(machine));
  }

  private static boolean reports(Pool pool, String lost) {
    return pool.status().conditions().values().stream()
        .anyMatch(condition -> condition.message().contains("read: " + lost));
  }

  /** Without the fleet's offer a pool gets no configuration, and no command about one. */
  private boolean hasNoConfiguration(Pool pool) {
    return pool.status().nodeProfile().isEmpty()
        && lostOffer().filter(lost -> reports(pool, lost)).isPresent();
  }

  /**
   * Why the fleet's offer cannot be read, or no Host can, since their definition is missing; empty
   * if both can.
   */
  private Optional<String> lostOffer() {
    return cluster.list(WorldCluster.Kind.OFFER).stream()
        .flatMap(seen ->
            seen instanceof Observation.HostsDefined(Optional<String> missing)
                ? missing.stream()
                : seen instanceof Observation.OfferLost(String why) ? Stream.of(why) : Stream.of())
        .findFirst();
  }

  private boolean isWaiting(Node node, Instant now) {
    return isKeptByFinalizers(node)
        || isBeingStopped(node, now)
        || isRequestedAndBusy(node)
        || repairs.isWaiting(node, now)
        || hostless.isWaiting(node);
  }

  private static boolean isKeptByFinalizers(Node node) {
    return node.deleting() && reports(node, NodeRemovalReason.AWAITING_FINALIZERS);
  }

  /** Its machine is asked to stop, and runs: that is its fleet's turn. */
  private boolean isBeingStopped(Node node, Instant now) {
    Host host = cluster.hosts().get(node.name());
    return host != null
        && host.power() == Host.Power.OFF
        && !host.isOff(now)
        && node.removing().isPresent();
  }

  private static boolean reports(Node node, NodeRemovalReason reason) {
    return node.removing().filter(removing -> removing.reason() == reason).isPresent();
  }

  /** A client requested a state, as PendingPhaseState shows, and waits for what CWActive names. */
  private boolean isRequestedAndBusy(Node node) {
    return node.status().lifecycle().pending().filter(NodeStatus.Entry::status).isPresent()
        && node.isReportedActive()
        && isBusy(node);
  }

  private boolean isBusy(Node node) {
    return cluster.workloads().isBusy(node.name());
  }

  private boolean isWaiting(Pool pool, Instant now) {
    RolloutState rollout = pool.status().configuration().rollout();
    String message = message(pool);
    return switch (rollout.phase()) {
      case NONE, STOPPED -> false;
      case PAUSED -> !rollout.reason().isEmpty() && message.contains("paused. " + rollout.reason());
      case RUNNING ->
          isAtLimit(pool, message)
              || (message.contains(", the pool is paused") && pool.spec().pause().isSet())
              || (isNamed(BUSY, message)
                  && anyNode(pool, node -> isBusy(node) || node.isReportedActive()))
              || (isNamed(CORDONED, message) && anyNode(pool, PublishedWaits::isCordonedByOthers))
              || (isNamed(HELD, message)
                  && hosts(pool).anyMatch(host -> host.hold(now).isPresent()))
              || (isNamed(PASSED_OVER, message)
                  && anyNode(pool, node -> node.passedOverUntil(now).isPresent()))
              || (isNamed(CANARY, message) && anyNode(pool, PublishedWaits::isRolledOut))
              || areOthersUnderWay(pool, message)
              || isImpossible(pool, message);
    };
  }

  private static String message(Pool pool) {
    return pool.status()
        .condition(PoolCondition.NODE_RECONFIGURATION_REQUIRED)
        .map(Condition::message)
        .orElse("");
  }

  private static boolean isNamed(Pattern wait, String message) {
    return wait.matcher(message).find();
  }

  private static boolean isCordonedByOthers(Node node) {
    return node.cordoned() && !node.isTerminating();
  }

  private static boolean isRolledOut(Node node) {
    return node.disruption()
        .flatMap(disruption -> disruption.active())
        .filter(active -> !active.turns().isEmpty())
        .isPresent();
  }

  /**
   * Whether each Node that is not up to date has its turn, or is disrupted for another cause: these
   * have a next step of their own. Those that repeatedly booted into another configuration stay,
   * and so do those that cannot be read, as the message says: others put right what is stored.
   */
  private boolean areOthersUnderWay(Pool pool, String message) {
    String profile = pool.status().nodeProfile();
    Matcher stay = MISSED.matcher(message);
    Predicate<Host> unread = host -> isNamed(UNREAD, message) && isUnreadable(host.id().name());
    long idle =
        hosts(pool)
            .filter(unread.negate())
            .filter(host -> !host.report().bootedConfiguration().equals(profile))
            .filter(host -> cluster.node(host.id().name()).filter(Node::isTerminating).isEmpty())
            .count();
    return (anyNode(pool, Node::isTerminating) || hosts(pool).anyMatch(unread))
        && idle <= (stay.find() ? Integer.parseInt(stay.group(1)) : 0);
  }

  private boolean isAtLimit(Pool pool, String message) {
    Matcher limit = LIMIT.matcher(message);
    if (!limit.find()) {
      return false;
    }
    int most = Integer.parseInt(limit.group(3));
    Stream<Host> unavailable = hosts(pool).filter(this::isUnavailable);
    long count =
        limit.group(2) == null
            ? unavailable.count()
            : unavailable.map(host -> host.machine().rack()).distinct().count();
    return Integer.parseInt(limit.group(1)) >= most && count + gone(pool, message) >= most;
  }

  /**
   * How many Nodes are gone, as the message says, if the pool holds as many fewer than it wants;
   * one that holds more, since its target fell, lacks none.
   */
  private long gone(Pool pool, String message) {
    Matcher gone = GONE.matcher(message);
    long named = gone.find() ? Integer.parseInt(gone.group(1)) : 0;
    return Math.max(0, Math.min(named, pool.spec().target() - hosts(pool).count()));
  }

  private Stream<Host> hosts(Pool pool) {
    return cluster.hosts().values().stream().filter(host -> host.serves(pool.id().uid()));
  }

  private boolean isUnavailable(Host host) {
    String name = host.id().name();
    return Chronicle.isUnavailable(host, cluster.node(name)) || isUnreadable(name);
  }

  private boolean anyNode(Pool pool, Predicate<Node> what) {
    return hosts(pool).flatMap(host -> cluster.node(host.id().name()).stream()).anyMatch(what);
  }

  /**
   * The settings have a problem, or the fleet cannot carry the rollout out, as the message says.
   */
  private boolean isImpossible(Pool pool, String message) {
    return pool.spec().configuration().rollout().problem().filter(message::contains).isPresent()
        || (message.contains("the fleet cannot be reached") && lostOffer().isPresent())
        || (message.contains("the fleet does not offer")
            && (!cluster.offer().capabilities().boots().contains(BootKind.POWER_RESET)
                || !cluster.offer().offersConfiguration(pool.status().nodeProfile())));
  }

  /** What the object publishes, for the report of a violation. */
  String text(ReconcileKey key) {
    return switch (key) {
      case ReconcileKey.OfMachine(String name) ->
          "%s; Host %s"
              .formatted(
                  cluster.node(name).map(PublishedWaits::text),
                  cluster.host(name).map(PublishedWaits::text));
      case ReconcileKey.OfPool(String name) ->
          cluster
              .pool(name)
              .map(pool ->
                  "%s %s %s"
                      .formatted(
                          pool.status().configuration().rollout(),
                          pool.spec().configuration().commands(),
                          message(pool)))
              .orElse("");
      case ReconcileKey.OfNamespace _, ReconcileKey.OfWrites _ -> "";
    };
  }

  private static String text(Node node) {
    return "%s, cordoned %s, %s, %s, %s, Ready %s"
        .formatted(
            node.disruption(),
            node.cordoned(),
            node.removing(),
            node.activity(),
            node.finalization(),
            node.ready());
  }

  private static String text(Host host) {
    return "%s, %s, %s, %s"
        .formatted(host.assignment(), host.power(), host.report().phase(), host.boot());
  }
}
