package io.nodepool.world.liars;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What the operator did to machines and to work on them, from the requests that arrive at the API
 * server, with what stood about the machine at that moment and what else gave it a reason.
 */
final class Deeds {
  /** What was done. */
  enum What {
    WORK_ENDED,
    BOOTED,
    STOPPED,
    SET_ASIDE
  }

  /**
   * Something that the operator did.
   *
   * @param nodes how many Nodes the pool had, or its target if that is more
   * @param claims what stood about the machine and asks for a repair
   * @param excuse what else was a reason for it; empty text for nothing
   */
  record Deed(
      What what,
      Instant at,
      String poolUid,
      String pool,
      int nodes,
      int racks,
      Host host,
      List<Claims.Claim> claims,
      String excuse) {
    Set<String> alerts() {
      return claims.stream()
          .map(Claims.Claim::alert)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    String name() {
      return host.id().name();
    }

    /** The machine and the time, in few characters. */
    String brief() {
      return "%s %s %s".formatted(name(), time(at), alerts());
    }

    /** Whether nobody but liars gave a reason for it. */
    boolean isForLies() {
      return excuse.isEmpty()
          && !claims.isEmpty()
          && claims.stream().noneMatch(Claims.Claim::isOfFleet);
    }

    @Override
    public String toString() {
      return "%s %s of %s (%d Nodes) at %s for %s%s"
          .formatted(
              what,
              name(),
              pool,
              nodes,
              time(at),
              alerts(),
              excuse.isEmpty() ? "" : ", excused by " + excuse);
    }
  }

  /** The time in a run, as hours and minutes since its start. */
  static String time(Instant at) {
    Duration since = Duration.between(World.START, at);
    return "%d:%02d:%02d".formatted(since.toHours(), since.toMinutesPart(), since.toSecondsPart());
  }

  private final World world;
  private final WorldCluster cluster;
  private final Claims claims;
  private final Consumer<Deed> heard;

  /** The request that takes effect in this step. */
  private Optional<Action> acting = Optional.empty();

  final List<Deed> all = new ArrayList<>();

  /** A failed verification of a machine, with the alerts that were active about it. */
  record Failure(Instant at, String poolUid, Set<String> alerts) {}

  /** The failed verifications, by the UID of the Host. */
  final Map<String, List<Failure>> failed = new HashMap<>();

  /** When verifications passed, by the UID of the Host. */
  final Map<String, List<Instant>> passed = new HashMap<>();

  /** Since when each Node is not Ready, by its UID. */
  private final Map<String, Instant> silentSince = new HashMap<>();

  private final Map<String, Host> hosts = new HashMap<>();

  /** When clients asked for something that explains what is done to a Node, by its name. */
  final Map<String, Instant> requested = new HashMap<>();

  /**
   * When something began that explains what is done to the Nodes of a pool, by name of the pool.
   */
  final Map<String, Instant> rollouts = new HashMap<>();

  final Map<String, Instant> shrunk = new HashMap<>();

  /** In the place of an alert: a person released what limits repairs for all of them. */
  static final String ALL = "";

  /** Alerts that a person released, by name of the pool. */
  final Map<String, Set<String>> released = new HashMap<>();

  /** When the spec of a pool was changed, by its name. */
  final Map<String, Instant> changed = new HashMap<>();

  Deeds(World world, Claims claims, Consumer<Deed> heard) {
    this.world = world;
    this.cluster = world.cluster();
    this.claims = claims;
    this.heard = heard;
    cluster.watch(
        this::see, WorldCluster.Kind.PODS, WorldCluster.Kind.HOSTS, WorldCluster.Kind.NODES);
    world.afterEachStep(() -> acting = Optional.empty());
  }

  /** Overrides by which a world tells what arrives; the deeds are made later than the world. */
  static OperatorOverrides telling(Consumer<Action> to) {
    return OperatorOverrides.AS_BUILT.withWire((action, _) -> {
      to.accept(action);
      return action;
    });
  }

  /** A request of the operator takes effect now. */
  void arrives(Action action) {
    acting = Optional.of(action);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.PodSeen(Pod pod) -> {
        if (acting.isPresent() && pod.deletedAt().isPresent() && !WorldPods.isOfNode(pod)) {
          cluster.host(pod.nodeName()).ifPresent(host -> note(What.WORK_ENDED, host));
        }
      }
      case Observation.HostSeen(Host host) -> see(host, hosts.put(host.id().uid(), host));
      case Observation.NodeSeen(Node node) -> {
        if (node.ready()) {
          silentSince.remove(node.uid());
        } else {
          silentSince.putIfAbsent(node.uid(), world.instant());
        }
      }
      default -> {}
    }
  }

  private void see(Host host, Host last) {
    host.report()
        .boot()
        .verification()
        .filter(verification ->
            last == null
                || last.report().boot().verification().filter(verification::equals).isEmpty())
        .ifPresent(verification -> {
          String uid = host.id().uid();
          if (verification.passed()) {
            passed.computeIfAbsent(uid, _ -> new ArrayList<>()).add(world.instant());
          } else {
            failed.computeIfAbsent(uid, _ -> new ArrayList<>()).add(failure(host));
          }
        });
    if (last == null || acting.isEmpty()) {
      return;
    }
    if (acting.get() instanceof Action.OnHost(HostOperation operation)) {
      boolean boots = operation instanceof HostOperation.Boot boot && boot.request().kind().boots();
      boolean stops = operation instanceof HostOperation.Stop;
      if (boots && !host.boot().equals(last.boot())) {
        note(What.BOOTED, host);
      }
      if (stops && last.power() == Host.Power.ON && host.power() == Host.Power.OFF) {
        note(What.STOPPED, host);
      }
      if ((boots || stops) && isBusy(host)) {
        note(What.WORK_ENDED, host);
      }
      if (!last.deliveries().isSetAside() && host.deliveries().isSetAside()) {
        note(What.SET_ASIDE, host);
      }
    }
  }

  private Failure failure(Host host) {
    return new Failure(
        world.instant(),
        host.assignment().map(held -> held.pool().uid()).orElse(""),
        claims.acting(host.id().name(), LiarBounds.PROBE).stream()
            .map(Claims.Claim::alert)
            .collect(Collectors.toSet()));
  }

  private boolean isBusy(Host host) {
    return cluster.workloads().boundTo(host.id().name()).stream()
        .anyMatch(pod -> !WorldPods.isOfNode(pod) && pod.deletedAt().isEmpty());
  }

  private void note(What what, Host host) {
    String uid = host.assignment().map(Assignment::pool).map(pool -> pool.uid()).orElse("");
    Optional<Pool> pool =
        cluster.pools().values().stream().filter(p -> p.id().uid().equals(uid)).findFirst();
    String name = host.assignment().map(held -> held.pool().name()).orElse("");
    int nodes =
        Math.max(
            (int) cluster.nodes().values().stream().filter(n -> n.poolUid().equals(uid)).count(),
            pool.map(p -> p.spec().target()).orElse(0));
    int racks = pool.map(p -> p.spec().size().targetRacks().orElse(0)).orElse(0);
    Optional<Deed> first = firstTry(what, host);
    List<Claims.Claim> about =
        first
            .map(Deed::claims)
            .orElseGet(() -> claims.acting(host.id().name(), LiarBounds.CLEAR.plusMinutes(5)));
    String excuse =
        first
            .map(Deed::excuse)
            .filter(said -> !said.isEmpty())
            .orElseGet(() -> excuse(what, host, pool, name, about));
    Deed deed = new Deed(what, world.instant(), uid, name, nodes, racks, host, about, excuse);
    all.add(deed);
    heard.accept(deed);
  }

  /** The first boot of those that a request repeats, since the machine did not come back. */
  private Optional<Deed> firstTry(What what, Host host) {
    return all.stream()
        .filter(deed -> what == What.BOOTED && deed.what() == What.BOOTED)
        .filter(deed -> deed.host().id().equals(host.id()))
        .filter(deed ->
            deed.host()
                .boot()
                .flatMap(
                    first -> host.boot().map(last -> first.operation().equals(last.operation())))
                .orElse(false))
        .findFirst();
  }

  private String excuse(
      What what, Host host, Optional<Pool> pool, String poolName, List<Claims.Claim> about) {
    Optional<Node> node = cluster.node(host.id().name());
    if (pool.isEmpty() || pool.get().isTerminating()) {
      return "deletion";
    }
    if (host.reclaim().isPresent()) {
      return "reclaim";
    }
    if (what != What.WORK_ENDED && host.boot().filter(last -> last.attempt() >= 3).isPresent()) {
      return "a reboot that failed";
    }
    if (isWithin(requested, host.id().name(), Duration.ofHours(12))) {
      return "request";
    }
    if (isWithin(rollouts, poolName, Duration.ofDays(2))) {
      return "rollout";
    }
    if (what != What.WORK_ENDED && isWithin(shrunk, poolName, Duration.ofDays(2))) {
      return "shrink";
    }
    if (node.filter(each -> isSilent(each, Duration.ofMinutes(10))).isPresent()) {
      return "silence";
    }
    if (!host.is(HostPhase.RUNNING)) {
      return "power";
    }
    if ((what == What.SET_ASIDE || what == What.STOPPED) && isLost(host)) {
      return "reboot";
    }
    Set<String> free = released.getOrDefault(poolName, Set.of());
    if (free.contains(ALL) || about.stream().anyMatch(claim -> free.contains(claim.alert()))) {
      return "release";
    }
    return "";
  }

  /** Whether a machine was booted, and no verification was answered for long. */
  private boolean isLost(Host host) {
    Optional<Instant> booted =
        all.stream()
            .filter(deed -> deed.what() == What.BOOTED)
            .filter(deed -> deed.host().id().equals(host.id()))
            .map(Deed::at)
            .reduce((_, last) -> last);
    return booted
        .filter(at -> at.plus(Duration.ofMinutes(50)).isBefore(world.instant()))
        .filter(at -> host.report().boot().verification().filter(v -> v.at().isAfter(at)).isEmpty())
        .isPresent();
  }

  private boolean isWithin(Map<String, Instant> times, String key, Duration ago) {
    return times.getOrDefault(key, Instant.MIN).isAfter(world.instant().minus(ago));
  }

  /** Whether a pool's spec or the catalogue changed a moment ago. */
  boolean isChanging(String pool) {
    Instant since = world.instant().minus(LiarBounds.OBSERVED);
    return changed.getOrDefault(pool, Instant.MIN).isAfter(since) || claims.changed.isAfter(since);
  }

  /** Whether the kubelet of a Node is silent for so long. */
  boolean isSilent(Node node, Duration since) {
    return !silentSince.getOrDefault(node.uid(), Instant.MAX).isAfter(world.instant().minus(since));
  }

  /**
   * Whether a machine failed a verification near this time, and passed none since, or its last one,
   * on the boot that it is still on.
   */
  boolean isProved(Deed deed) {
    String uid = deed.host().id().uid();
    Host.Report report = deed.host().report();
    boolean isOnFailedBoot =
        report
            .boot()
            .verification()
            .filter(last -> !last.passed() && last.bootId().equals(report.bootId()))
            .isPresent();
    return isOnFailedBoot
        || failed.getOrDefault(uid, List.of()).stream()
            .map(Failure::at)
            .anyMatch(at ->
                at.isAfter(deed.at().minus(Duration.ofHours(24)))
                    && at.isBefore(deed.at().plus(Duration.ofHours(6)))
                    && passed.getOrDefault(uid, List.of()).stream()
                        .noneMatch(well -> well.isAfter(at) && well.isBefore(deed.at())));
  }

  /**
   * The alerts for which the rack of a machine may be repaired as a whole: three machines of the
   * pool with the alert failed their verification within 24 h before.
   */
  Set<String> provedForRack(Deed deed) {
    return deed.racks() == 0
        ? Set.of()
        : deed.alerts().stream()
            .filter(alert ->
                failed.values().stream()
                        .filter(of -> of.stream().anyMatch(each -> proves(each, alert, deed)))
                        .count()
                    >= LiarBounds.GENUINE)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean proves(Failure failure, String alert, Deed deed) {
    return failure.poolUid().equals(deed.poolUid())
        && failure.alerts().contains(alert)
        && failure.at().isBefore(deed.at())
        && failure.at().isAfter(deed.at().minus(Duration.ofHours(24)));
  }

  /** The distinct machines of these deeds. */
  static Set<String> machines(List<Deed> deeds) {
    Set<String> names = new HashSet<>();
    deeds.forEach(deed -> names.add(deed.name()));
    return names;
  }
}
