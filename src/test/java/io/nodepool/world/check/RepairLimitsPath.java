package io.nodepool.world.check;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PastRepair;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Leaderships;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How many machines are repaired (decisions D33 and D34): counted from the Nodes, from the write
 * with which a repair begins to be carried out until the Node is back or gone, and from the power
 * cycles of the machines.
 */
final class RepairLimitsPath {
  private static final int IN_FLEET = 10;

  /** How a pool says what uses up its number of repairs at once. */
  private static final Pattern UNDER_WAY =
      Pattern.compile("(\\d+) (?:is |are )?(being repaired|may begin|leaves? after)");

  /** Two that are let go a minute apart may begin at almost the same time. */
  private static final Duration WINDOW = Duration.ofMinutes(5);

  private static final int IN_WINDOW = 7;

  private static final int CYCLES = 3;

  /** The write of an operator that has ended may come so late. */
  private static final Duration AT_ONCE = Duration.ofMinutes(1);

  /** From a plan to its write in an operator that goes on after a pause. */
  private static final Duration PLANNED = Duration.ofSeconds(30);

  /** An operator has observed what its fleet offers by then. */
  private static final Duration KNOWN = Duration.ofMinutes(20);

  private static final InstanceCatalogue TYPES = InstanceCatalogue.bundled();

  /** Less than the day of the rule, by the clock of an operator that is fast. */
  private static final Duration DAY = Duration.ofHours(23);

  private final InstantSource clock;
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Host> hosts = new HashMap<>();

  /**
   * The racks of which half or more Nodes were to be repaired for one alert that was proved or
   * released, or of which half of the machines do not run.
   */
  private final Set<RackOf> common = new HashSet<>();

  /** The Nodes that tenants could use until they were cordoned for a repair, likewise. */
  private final Map<String, String> cordoned = new HashMap<>();

  /** The Nodes that are repaired, by their UID, with the UID of their pool. */
  private final Map<String, String> repaired = new HashMap<>();

  /** So long after a repair ended an operator that observes little may say that it is under way. */
  private static final Duration SAID = Duration.ofHours(1);

  /** The repairs that ended, by the UID of the Node, which may be gone since. */
  private final Map<String, Ended> repairedUntil = new HashMap<>();

  private record Ended(String poolUid, Instant at) {}

  /** When the last ones began, by the pool's UID. */
  private final Map<String, Deque<Instant>> begun = new HashMap<>();

  /** The request for which each machine was last booted to repair it, by the UID of its Host. */
  private final Map<String, String> cycled = new HashMap<>();

  /** When each machine was booted for its repair, by the UID of its Host. */
  private final Map<String, Deque<Instant>> cycles = new HashMap<>();

  /** Since when machines are kept for inspection, by the UID of the Host. */
  private final Map<String, Instant> preservedSince = new HashMap<>();

  /** What the users of pools have ever set, by the UID of the pool. */
  private final Map<String, Set<PoolSpec.RepairBrakes>> limits = new HashMap<>();

  /** What pools ever said of their repairs, by the UID of the pool. */
  private final Map<String, Set<RepairState>> said = new HashMap<>();

  /** What pools ever let go: a machine, by the UID of its Host, or a rack, for an alert. */
  private final Set<String> permitted = new HashSet<>();

  /** The alerts for which each machine was last verified, by the UID of its Host. */
  private final Set<String> asked = new HashSet<>();

  /** The alerts for which each machine did not pass, by the UID of its Host and the alert. */
  private final Set<String> failed = new HashSet<>();

  /** What people ever released, by the UID of the pool and the alert. */
  private final Set<String> released = new HashSet<>();

  /** When the fleet last offered to verify machines. */
  private Instant verifiedUntil = Instant.MAX;

  /** Since when it verifies again. */
  private Instant verifiesSince = Instant.MIN;

  /** When its components were to be repaired, by the UID of its Host and the alert. */
  private final Map<String, Deque<Instant>> attempts = new HashMap<>();

  private final Leaderships leaderships;

  private RepairLimitsPath(Leaderships leaderships, InstantSource clock) {
    this.leaderships = leaderships;
    this.clock = clock;
  }

  /** Checks a cluster from now on. */
  static void watch(WorldCluster cluster, Leaderships leaderships, InstantSource clock) {
    RepairLimitsPath path = new RepairLimitsPath(leaderships, clock);
    cluster.watch(
        path::see,
        WorldCluster.Kind.NODES,
        WorldCluster.Kind.HOSTS,
        WorldCluster.Kind.POOLS,
        WorldCluster.Kind.OFFER);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.NodeGone(_, String uid, _) -> {
        Optional.ofNullable(nodes.remove(uid)).ifPresent(this::endedVerifying);
        ended(uid);
        cordoned.remove(uid);
      }
      case Observation.NodeSeen(Node node) -> see(node, nodes.put(node.uid(), node));
      case Observation.HostSeen(Host host) -> see(host, hosts.put(host.id().uid(), host));
      case Observation.HostGone(var id, long _) -> hosts.remove(id.uid());
      case Observation.PoolSeen(Pool pool) -> {
        limits(pool.id().uid()).add(pool.spec().repair().limits());
        pool.spec()
            .repair()
            .suspects()
            .until()
            .keySet()
            .forEach(alert -> released.add(pool.id().uid() + "/" + alert));
        underWay(pool);
        pool.status().repairs().suspects().forEach(this::judged);
        permits(pool.status().repairs());
      }
      case Observation.OfferSeen(FleetOffer offer) -> {
        boolean verifies = offer.capabilities().offers(BootKind.VERIFICATION);
        if (verifies && !verifiedUntil.equals(Instant.MAX)) {
          verifiesSince = clock.instant();
        }
        verifiedUntil =
            verifies
                ? Instant.MAX
                : verifiedUntil.equals(Instant.MAX) ? clock.instant() : verifiedUntil;
      }
      default -> {}
    }
  }

  /**
   * What the pool says is under way, is: counted from its Nodes, by what it can have observed. An
   * earlier text is not judged again, since others may write an earlier status.
   */
  private void underWay(Pool pool) {
    if (!said.computeIfAbsent(pool.id().uid(), _ -> new HashSet<>()).add(pool.status().repairs())) {
      return;
    }
    Matcher text = UNDER_WAY.matcher(pool.status().repairs().why());
    while (text.find()) {
      String uid = pool.id().uid();
      long count =
          switch (text.group(2)) {
            case "may begin" -> present(uid, RepairLimitsPath::isForRepair);
            case "being repaired" -> repairedOf(uid);
            default -> present(uid, node -> node.failedReboot().isPresent());
          };
      Invariants.require(
          count >= Integer.parseInt(text.group(1)),
          "of a pool {} Nodes {}, and it says: {}",
          count,
          text.group(2),
          text.group());
    }
  }

  /** Whether its machine is verified before it is repaired. */
  private static boolean isVerified(Node node) {
    return node.isCommitted()
        && node.disruption().flatMap(Disruption::active).stream()
            .flatMap(active -> active.causes().stream())
            .anyMatch(cause -> cause.what().isAlertVerification());
  }

  private long present(String poolUid, Predicate<Node> which) {
    return nodes.values().stream()
        .filter(node -> node.poolUid().equals(poolUid))
        .filter(which)
        .count();
  }

  /** How many Nodes are repaired, or were until a moment ago, and may be gone by now. */
  private long repairedOf(String poolUid) {
    return repaired.values().stream().filter(poolUid::equals).count()
        + present(poolUid, node -> isVerified(node) && !repaired.containsKey(node.uid()))
        + repairedUntil.values().stream()
            .filter(each -> each.poolUid().equals(poolUid))
            .filter(each -> each.at().plus(SAID).isAfter(clock.instant()))
            .count();
  }

  private void permits(RepairState repairs) {
    repairs.admitted().ifPresent(each -> permitted.add(each.hostUid() + "/" + each.alert()));
    repairs.rack().ifPresent(each -> permitted.add(each.rack() + "/" + each.alert()));
  }

  /** Each repair that begins was let go by its pool, for its own alert. */
  private void isPermitted(Node node) {
    node.disruption().flatMap(Disruption::active).stream()
        .flatMap(active ->
            active.causes().stream()
                .filter(cause -> !active.awaits(cause) && cause.leaves() == active.leaves()))
        .flatMap(cause -> cause.what().repaired().stream())
        .map(DisruptionCause.Repaired::alert)
        .forEach(alert ->
            Invariants.require(
                permitted.contains(node.hostUid() + "/" + alert)
                    || permitted.contains(rack(node).rack() + "/" + alert),
                "the repair of Node {} begins for {}, for which its pool never let it go",
                node.name(),
                alert));
  }

  /** A machine answers for an alert only by a verification that was requested for one. */
  private void judged(SuspectedAlert suspect) {
    suspect
        .checks()
        .forEach(check ->
            Invariants.require(
                asked.contains(check.hostUid() + "/" + check.at()),
                "Node {} answers for {}, for which it was not verified",
                check.node(),
                suspect.alert()));
  }

  /** The operator asks for a verification because of an alert, if its fleet offers that. */
  private void verifies(Host host) {
    String uid = host.id().uid();
    host.boot()
        .filter(BootRequest::isAlertVerification)
        .filter(boot -> asked.add(uid + "/" + boot.at()))
        .ifPresent(_ ->
            Invariants.require(
                verifiedUntil.isAfter(clock.instant().minus(KNOWN)),
                "Host {} is to be verified, which its fleet does not offer since {}",
                host.id().name(),
                verifiedUntil));
    host.boot()
        .filter(boot ->
            host.isProvedFaulty(boot.alert())
                || (boot.operation().endsWith("/leaves")
                    && host.verified(boot).filter(passed -> !passed).isPresent()))
        .ifPresent(boot -> failed.add(uid + "/" + boot.alert()));
  }

  /**
   * What is called proved is: the machine did not pass when it was verified for that alert, or
   * before it left.
   */
  private void isProved(Host host, PastRepair past) {
    Invariants.require(
        !past.proved()
            || failed.contains(host.id().uid() + "/" + past.alert())
            || failed.contains(host.id().uid() + "/"),
        "a fault of Host {} is called proved for {}, for which no verification failed",
        host.id().name(),
        past.alert());
  }

  private Set<PoolSpec.RepairBrakes> limits(String poolUid) {
    return limits.computeIfAbsent(
        poolUid, _ -> new HashSet<>(Set.of(PoolSpec.RepairBrakes.DEFAULTS)));
  }

  /** The highest value that a limit of a pool of this size ever had. */
  private int most(
      String poolUid, Function<PoolSpec.RepairBrakes, RolloutSettings.Limit> limit, long size) {
    return limits(poolUid).stream()
        .mapToInt(each -> limit.apply(each).of((int) size))
        .max()
        .orElseThrow();
  }

  private void see(Node node, @Nullable Node last) {
    if (!isForRepair(node)) {
      cordoned.remove(node.uid());
    } else if (last != null && !isForRepair(last) && last.isAvailable()) {
      isCordoned(node);
    }
    if (last != null && !isVerified(node)) {
      endedVerifying(last);
    }
    if (!isRepaired(node)) {
      ended(node.uid());
    } else if (last != null && !isRepaired(last) && !isPreserved(node)) {
      begins(node);
    }
  }

  private void ended(String uid) {
    String poolUid = repaired.remove(uid);
    if (poolUid != null) {
      repairedUntil.put(uid, new Ended(poolUid, clock.instant()));
    }
  }

  private void endedVerifying(Node last) {
    if (isVerified(last) && !repaired.containsKey(last.uid())) {
      repairedUntil.put(last.uid(), new Ended(last.poolUid(), clock.instant()));
    }
  }

  private boolean isPreserved(Node node) {
    return Optional.ofNullable(hosts.get(node.hostUid())).flatMap(Host::preserved).isPresent();
  }

  /** Its Node has left, and is repaired no more: its machine is kept for inspection. */
  private void preserved(Host host, @Nullable Host last) {
    if (last != null && last.preserved().isEmpty()) {
      Instant now = clock.instant();
      String pool = host.assignment().orElseThrow().pool().uid();
      Invariants.require(
          hosts.values().stream()
              .filter(other -> other.isHeldBy(pool) && other.power() == Host.Power.ON)
              .noneMatch(other ->
                  preservedSince.getOrDefault(other.id().uid(), now).isBefore(now.minus(AT_ONCE))),
          "a second machine of a pool is kept for inspection: Host {}",
          host.id().name());
      preservedSince.put(host.id().uid(), now);
    }
    nodes.values().stream()
        .filter(node -> node.hostUid().equals(host.id().uid()))
        .forEach(node -> repaired.remove(node.uid()));
  }

  /** One whose machine did not come back waits to leave, for as long as a person likes. */
  private static boolean isRepaired(Node node) {
    if (node.failedReboot().isPresent() && !node.isDraining()) {
      return false;
    }
    Optional<Disruption.Active> active = node.disruption().flatMap(Disruption::active);
    return active
        .filter(each ->
            each.causes().stream()
                .anyMatch(cause ->
                    cause.what().isOutage() || (cause.what().isRepair() && !each.awaits(cause))))
        .isPresent();
  }

  private static boolean isForRepair(Node node) {
    return node.disruption().flatMap(Disruption::active).stream()
        .flatMap(active -> active.causes().stream())
        .anyMatch(cause -> cause.what().isRepair());
  }

  /** Nodes of which the operator has not observed yet that they are gone make the pool larger. */
  private void isCordoned(Node node) {
    String uid = node.poolUid();
    cordoned.put(node.uid(), uid);
    boolean inRacks = isOfRackType(node);
    long size = units(nodes.keySet(), uid, inRacks);
    long inPool = units(cordoned.keySet(), uid, inRacks);
    Invariants.require(
        inPool <= 2 * most(uid, PoolSpec.RepairBrakes::unavailable, size) + 1,
        "{} {} of a pool of {} are cordoned for repairs",
        inPool,
        inRacks ? "racks" : "Nodes",
        size);
  }

  /** How many Nodes of a pool these are, or how many racks they stand in. */
  private long units(Set<String> uids, String poolUid, boolean inRacks) {
    Stream<Node> ofPool = present(uids).filter(node -> node.poolUid().equals(poolUid));
    return inRacks ? ofPool.map(this::rack).distinct().count() : ofPool.count();
  }

  private Stream<Node> present(Set<String> uids) {
    return uids.stream().map(nodes::get).filter(Objects::nonNull);
  }

  private void begins(Node node) {
    String uid = node.poolUid();
    isWatched();
    isPermitted(node);
    repaired.put(node.uid(), uid);
    long size =
        nodes.values().stream()
            .filter(each -> each.poolUid().equals(uid) && each.registered())
            .count();
    common.removeIf(rack -> repairedIn(rack) == 0);
    boolean isCounted = !common.contains(rack(node));
    if (isOfRackType(node) && (isCommon(rack(node)) || isDark(rack(node)))) {
      common.add(rack(node));
    }
    long most = most(uid, PoolSpec.RepairBrakes::atOnce, size);
    long inPool =
        repaired.values().stream().filter(uid::equals).count()
            - Math.max(0, together(rack -> rack.poolUid().equals(uid)) - 1);
    Invariants.require(
        inPool <= most, "{} machines of a pool of {} are repaired at once", inPool, size);
    long inFleet = repaired.size() - together(_ -> true);
    Invariants.require(inFleet <= IN_FLEET, "{} machines are repaired at once", inFleet);
    if (isCounted) {
      begins(uid);
    }
  }

  /** How many Nodes are repaired of one of these racks whose Nodes count as one. */
  private long together(Predicate<RackOf> which) {
    return common.stream().filter(which).mapToLong(this::repairedIn).max().orElse(0);
  }

  /** The machines of one rack that a pool holds. */
  private record RackOf(String poolUid, String rack) {}

  private RackOf rack(Node node) {
    Host host = hosts.get(node.hostUid());
    return new RackOf(node.poolUid(), host == null ? "" : host.machine().rack());
  }

  private long repairedIn(RackOf rack) {
    return present(repaired.keySet()).filter(node -> rack(node).equals(rack)).count();
  }

  /** Whether half of the rack or more is to be repaired for one alert that was proved. */
  private boolean isCommon(RackOf rack) {
    Map<String, Long> alerts = new HashMap<>();
    long all = 0;
    for (Node node : nodes.values()) {
      if (rack(node).equals(rack)) {
        all++;
        node.disruption().flatMap(Disruption::active).stream()
            .flatMap(active -> active.causes().stream())
            .flatMap(cause -> cause.what().repaired().stream())
            .map(DisruptionCause.Repaired::alert)
            .distinct()
            .forEach(alert -> alerts.merge(alert, 1L, Long::sum));
      }
    }
    long enough = Math.max(3, (all + 1) / 2);
    return alerts.entrySet().stream()
        .anyMatch(each -> each.getValue() >= enough && isProved(rack, each.getKey()));
  }

  /**
   * Whether a machine of the rack did not pass for an alert, or three did not, or a person released
   * it where the fleet does not verify.
   */
  private boolean isProved(RackOf rack, String alert) {
    boolean mayBeUnverified =
        !verifiedUntil.equals(Instant.MAX) || verifiesSince.isAfter(clock.instant().minus(KNOWN));
    return (mayBeUnverified && released.contains(rack.poolUid() + "/" + alert))
        || failed.stream().filter(each -> each.endsWith("/" + alert)).count() >= 3
        || hosts.values().stream()
            .filter(host -> host.machine().rack().equals(rack.rack()))
            .anyMatch(host -> failed.contains(host.id().uid() + "/" + alert));
  }

  /** Whether half of the machines of the rack or more do not run any more. */
  private boolean isDark(RackOf rack) {
    List<Host> held =
        hosts.values().stream()
            .filter(
                host -> host.isHeldBy(rack.poolUid()) && host.machine().rack().equals(rack.rack()))
            .toList();
    long dark =
        held.stream()
            .filter(host -> host.is(HostPhase.STOPPED) || host.is(HostPhase.FAILED))
            .count();
    return dark >= Math.max(3, (held.size() + 1) / 2);
  }

  private boolean isOfRackType(Node node) {
    return Optional.ofNullable(hosts.get(node.hostUid()))
        .flatMap(host -> TYPES.find(host.machine().instanceType()))
        .filter(type -> type.rackSize() > 1)
        .isPresent();
  }

  private void isWatched() {
    // A pause that has just become one of more than 10 minutes was none when this was planned.
    Invariants.require(
        !(leaderships.isHeld(clock.instant())
            && leaderships.isHeld(clock.instant().minus(PLANNED))),
        "a repair begins soon after no operator led for more than 10 minutes");
  }

  private void begins(String poolUid) {
    int count = counted(begun, poolUid, WINDOW);
    Invariants.require(count <= IN_WINDOW, "{} repairs of a pool began within 5 minutes", count);
  }

  /** Counts something that happens now, and returns how often it did within this time. */
  private int counted(Map<String, Deque<Instant>> counts, String key, Duration window) {
    Deque<Instant> row = counts.computeIfAbsent(key, _ -> new ArrayDeque<>());
    row.removeIf(at -> !at.plus(window).isAfter(clock.instant()));
    row.add(clock.instant());
    return row.size();
  }

  /** A component is to be repaired: not again before the fleet has answered, and not too often. */
  private void requested(Host host, Host last, ComponentRepair request) {
    isWatched();
    begins(host.assignment().map(held -> held.pool().uid()).orElse(""));
    Invariants.require(
        last.unansweredRepairs().findAny().isEmpty(),
        "Another repair of a component of Host {} is requested before the last is answered",
        host.id().name());
    int count = counted(attempts, host.id().uid() + "/" + request.alert(), DAY);
    Invariants.require(
        count <= CYCLES,
        "A component of Host {} was to be repaired {} times in a day for {}",
        host.id().name(),
        count,
        request.alert());
  }

  private void see(Host host, @Nullable Host last) {
    if (host.preserved().isPresent()) {
      preserved(host, last);
    }
    if (last != null && last.deliveries().isSetAside() && !host.deliveries().isSetAside()) {
      // A person put it back: its attempts count anew.
      cycles.remove(host.id().uid());
      attempts.keySet().removeIf(key -> key.startsWith(host.id().uid() + "/"));
    }
    if (last != null) {
      verifies(host);
      host.past().stream()
          .filter(each -> !last.past().contains(each))
          .forEach(each -> isProved(host, each));
      host.occupancy().repairs().stream()
          .filter(each -> !last.occupancy().repairs().contains(each))
          .forEach(request -> requested(host, last, request));
    }
    boolean isBooted =
        last != null && host.report().boot().cycles() > last.report().boot().cycles();
    if (!isBooted || host.boot().filter(BootRequest::isRepair).isEmpty()) {
      return;
    }
    String request = host.boot().map(each -> each.operation() + "/" + each.attempt()).orElse("");
    if (request.equals(cycled.put(host.id().uid(), request))) {
      // Its power failed during the boot, which its fleet began once more.
      return;
    }
    int count = counted(cycles, host.id().uid(), DAY);
    Invariants.require(
        count <= CYCLES,
        "Host {} was booted {} times in a day to repair it",
        host.id().name(),
        count);
  }
}
