package io.nodepool.whatif;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Reclaim;
import io.nodepool.health.Signal;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.PodBudget;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.Pool;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.World;
import io.nodepool.world.operator.OperatorOverrides;
import io.nodepool.world.operator.OperatorProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What would happen after a change, as the operator's planners decide it. A virtual world continues
 * from listed objects, with the shortest, the middle and the longest durations of machines.
 * Assumptions: no other client changes anything, a Pod ends only when it is deleted, alerts end
 * with the next boot of their machine, and verifications pass.
 *
 * @param happenings in the order of the middle run
 * @param pools the concerned pools at its end, by name
 * @param token of the decisions
 */
public record Forecast(List<Expected> happenings, List<PoolAtEnd> pools, PlanToken token) {
  /** The longest duration of a run. */
  public static final Duration HORIZON = Duration.ofHours(24);

  /** Longer than an operator waits after its start. */
  private static final Duration OBSERVED = Duration.ofHours(1);

  private static final Duration LOOK = Duration.ofMinutes(5);

  /**
   * How much earlier or later a real operator may act, as its timers and the order of its steps
   * differ: this, plus this share of the time until then.
   */
  private static final Duration SLACK = Duration.ofSeconds(3);

  private static final double SLACK_SHARE = 0.03;

  /** A run ends after this number of looks in a row without a happening or a waiting operator. */
  private static final int RESTING_LOOKS = 6;

  private static final List<Double> SHARES = List.of(0.0, 0.5, 1.0);
  private static final int MIDDLE = 1;

  /**
   * An expected happening.
   *
   * @param what in words of {@link Happening.What}
   * @param name of the object
   * @param why the cause, or where; may be empty text
   * @param earliest with the shortest durations
   * @param latest with the longest durations
   * @param always whether it happens in every run
   */
  public record Expected(
      Happening.What what,
      String name,
      String why,
      Instant earliest,
      Instant latest,
      boolean always) {}

  /**
   * A pool at the end.
   *
   * @param nodes how many Nodes it has then
   * @param notReady how many of them are not Ready
   * @param target in Nodes
   * @param atTarget whether its condition reports that it is at its target
   * @param lacks each unhealthy condition, with its message
   * @param always whether every run ends with the same numbers of Nodes and Ready Nodes
   */
  public record PoolAtEnd(
      String pool,
      int nodes,
      int notReady,
      int target,
      boolean atTarget,
      List<String> lacks,
      boolean always) {
    public PoolAtEnd {
      lacks = List.copyOf(lacks);
    }

    /** This pool, compared with the ends of other runs. */
    private PoolAtEnd beside(Stream<PoolAtEnd> others) {
      boolean same =
          others
              .filter(each -> each.pool.equals(pool))
              .allMatch(each -> each.nodes == nodes && each.notReady == notReady);
      return new PoolAtEnd(pool, nodes, notReady, target, atTarget, lacks, same);
    }

    /** How many of its Nodes are Ready. */
    public int ready() {
      return nodes - notReady;
    }
  }

  public Forecast {
    happenings = List.copyOf(happenings);
    pools = List.copyOf(pools);
  }

  /**
   * Continues from the listed objects, for {@link #HORIZON} at most.
   *
   * @param budgets the budgets of the Pods
   */
  public static Forecast of(
      List<Observation> listed, List<PodBudget> budgets, Instant now, Question question) {
    return of(listed, budgets, now, question, HORIZON);
  }

  static Forecast of(
      List<Observation> listed,
      List<PodBudget> budgets,
      Instant now,
      Question question,
      Duration horizon) {
    List<Observation> concerned =
        Scope.of(question, listed).stream().map(Forecast::asItStands).toList();
    Durations durations = Durations.of(Scope.hosts(concerned).toList());
    List<Run> runs =
        SHARES.stream()
            .map(share -> new Run(concerned, budgets, now, durations, share, question, horizon))
            .toList();
    Run middle = runs.get(MIDDLE);
    List<PoolAtEnd> pools =
        middle.pools().stream()
            .map(pool -> pool.beside(runs.stream().flatMap(run -> run.pools().stream())))
            .toList();
    return new Forecast(expected(runs, now), pools, PlanToken.of(middle.decisions(concerned)));
  }

  /** Whether a pool would not be at its target at the end. */
  public boolean isBlocked() {
    return pools.stream().anyMatch(each -> !each.atTarget());
  }

  /** Whether work of a tenant would end. */
  public boolean endsWork() {
    return happenings.stream().anyMatch(each -> each.what().isAboutWork());
  }

  /** Reports of a fleet remain until something changes them, regardless of their author. */
  private static Observation asItStands(Observation listed) {
    if (!(listed instanceof Observation.HostSeen(Host host))) {
      return listed;
    }
    Optional<Reclaim> notice =
        host.reclaim().map(each -> new Reclaim(each.announcedAt(), each.reclaimAt(), "as listed"));
    List<Signal> signals =
        host.report().signals().stream().map(each -> each.withMessage("as listed")).toList();
    return new Observation.HostSeen(
        host.withReport(
            host.report().withSpot(host.report().spot().withReclaim(notice)).withSignals(signals)));
  }

  private static List<Expected> expected(List<Run> runs, Instant now) {
    List<Map<String, Happening>> keyed = runs.stream().map(run -> keyed(run.happenings())).toList();
    Map<String, Happening> middle = keyed.get(MIDDLE);
    Stream<String> others =
        keyed.stream()
            .flatMap(each -> each.keySet().stream())
            .filter(key -> !middle.containsKey(key));
    return Stream.concat(middle.keySet().stream(), others.sorted().distinct())
        .map(key -> expected(key, keyed, now))
        .toList();
  }

  private static Expected expected(String key, List<Map<String, Happening>> runs, Instant now) {
    List<Happening> all =
        runs.stream().flatMap(run -> Optional.ofNullable(run.get(key)).stream()).toList();
    Happening one = Optional.ofNullable(runs.get(MIDDLE).get(key)).orElse(all.getFirst());
    List<Instant> times = all.stream().map(Happening::at).sorted().toList();
    return new Expected(
        one.what(),
        one.name(),
        one.why(),
        earlier(times.getFirst(), now),
        times.getLast().plus(slack(times.getLast(), now)),
        all.size() == runs.size());
  }

  private static Instant earlier(Instant at, Instant now) {
    Instant earliest = at.minus(slack(at, now));
    return earliest.isBefore(now) ? now : earliest;
  }

  private static Duration slack(Instant at, Instant now) {
    return SLACK.plusMillis((long) (Duration.between(now, at).toMillis() * SLACK_SHARE));
  }

  /** Happenings by kind, object and how often it happened to the object. */
  private static Map<String, Happening> keyed(List<Happening> happenings) {
    Map<String, Integer> times = new HashMap<>();
    Map<String, Happening> keyed = new LinkedHashMap<>();
    for (Happening each : happenings) {
      String key = each.what() + " " + each.name();
      keyed.put(key + " " + times.merge(key, 1, Integer::sum), each);
    }
    return keyed;
  }

  /** The present pools of a world. */
  static List<PoolAtEnd> atEnd(World world) {
    return world.cluster().pools().values().stream().map(pool -> atEnd(world, pool)).toList();
  }

  private static PoolAtEnd atEnd(World world, Pool pool) {
    List<Node> nodes =
        world.cluster().nodes().values().stream()
            .filter(node -> node.poolUid().equals(pool.id().uid()))
            .toList();
    return new PoolAtEnd(
        pool.id().name(),
        nodes.size(),
        (int) nodes.stream().filter(node -> !node.ready()).count(),
        pool.spec().target(),
        Happenings.isAtTarget(pool),
        lacking(pool)
            .map(each ->
                "%s %s: %s"
                    .formatted(
                        each.reason().condition().type(), each.reason().word(), each.message()))
            .toList(),
        true);
  }

  private static Stream<Condition> lacking(Pool pool) {
    return pool.status().conditions().entrySet().stream()
        .filter(each -> each.getValue().reason().status() != each.getKey().healthy())
        .sorted(Comparator.comparing(each -> each.getKey()))
        .map(Map.Entry::getValue);
  }

  /** One run. */
  private static final class Run {
    private final World world;
    private final List<Happening> noted = new ArrayList<>();

    Run(
        List<Observation> listed,
        List<PodBudget> budgets,
        Instant now,
        Durations durations,
        double share,
        Question question,
        Duration horizon) {
      this.world =
          World.of(
              listed,
              now,
              dataCentre(listed, durations.timings(share)),
              OperatorOverrides.AS_BUILT);
      budgets.forEach(world.cluster().workloads()::protect);
      new CuredAlerts(world, listed).watch();
      world
          .operators()
          .startInformed(
              now.minus(OBSERVED),
              seen ->
                  share < 1
                      ? observed(seen, now)
                      : Stream.of(new OperatorProcess.Backdated(now, seen)));
      new Happenings(world, noted::add);
      new AskedChange(world).ask(question);
      Instant end = now.plus(horizon);
      for (int quiet = 0; quiet < RESTING_LOOKS && world.instant().isBefore(end); ) {
        int before = noted.size();
        world.advance(LOOK);
        quiet = world.operators().areAtRest() && noted.size() == before ? quiet + 1 : 0;
      }
    }

    /**
     * What an operator that already led had observed. The present leader may have started later, so
     * that its waits end later. An attempt to boot a machine counts from its request, whatever
     * happened since.
     */
    private static Stream<OperatorProcess.Backdated> observed(Observation seen, Instant now) {
      Stream<OperatorProcess.Backdated> asked =
          seen instanceof Observation.HostSeen(Host host)
              ? host.boot().stream()
                  .filter(request -> request.at().isBefore(now))
                  .map(request ->
                      new OperatorProcess.Backdated(
                          request.at(), new Observation.HostSeen(asAsked(host, request))))
              : Stream.empty();
      return Stream.concat(
          asked, Stream.of(new OperatorProcess.Backdated(lastChange(seen, now), seen)));
    }

    /** The Host when this boot was requested, with the fields that count. */
    private static Host asAsked(Host host, BootRequest request) {
      Host.Boot boot = host.report().boot();
      return host.withReport(
          host.report()
              .withBoot(
                  boot.withId(request.from())
                      .withCycle(Optional.empty())
                      .withVerification(Optional.empty())));
    }

    private static Instant lastChange(Observation seen, Instant now) {
      Stream<Instant> changes =
          switch (seen) {
            case Observation.HostSeen(Host host) -> changes(host);
            case Observation.NodeSeen(Node node) -> changes(node);
            default -> Stream.empty();
          };
      return changes.max(Instant::compareTo).filter(now::isAfter).orElse(now);
    }

    private static Stream<Instant> changes(Host host) {
      Host.Boot boot = host.report().boot();
      return Stream.of(
              Optional.of(host.report().since()),
              host.assignment().map(Assignment::at),
              host.boot().map(BootRequest::at),
              host.reclaim().map(Reclaim::announcedAt),
              boot.at(),
              boot.cycle().map(Host.Cycle::at),
              boot.verification().map(Host.Verification::at))
          .flatMap(Optional::stream);
    }

    private static Stream<Instant> changes(Node node) {
      return Stream.of(
              Optional.of(node.identity().createdAt()),
              node.status().notReadySince(),
              node.disruption().map(Disruption::at))
          .flatMap(Optional::stream);
    }

    private static DataCentre dataCentre(List<Observation> listed, DataCentre.Timings timings) {
      FleetOffer offer =
          listed.stream()
              .flatMap(each ->
                  each instanceof Observation.OfferSeen(FleetOffer seen)
                      ? Stream.of(seen)
                      : Stream.empty())
              .findFirst()
              .orElseGet(Run::nothing);
      return new DataCentre(
          new DataCentre.Site(offer.zone(), offer.region(), offer.organization()),
          1,
          List.of(),
          new DataCentre.Terms(offer.quota(), offer.unqueued(), offer.releases(), new TreeMap<>()),
          timings,
          DataCentre.Mishaps.NONE);
    }

    private static FleetOffer nothing() {
      return new FleetOffer(
          "",
          "",
          "",
          new TreeSet<>(),
          new TreeSet<>(),
          new TreeMap<>(),
          List.of(),
          FleetOffer.Capabilities.NONE);
    }

    List<Happening> happenings() {
      return List.copyOf(noted);
    }

    List<PoolAtEnd> pools() {
      return atEnd(world);
    }

    /** The decisions about existing objects, without instants; sorted. */
    List<String> decisions(List<Observation> listed) {
      TreeSet<String> existing = new TreeSet<>();
      listed.forEach(each -> {
        if (each instanceof Observation.NodeSeen(var node)) {
          existing.add(node.name());
        }
      });
      List<String> decisions = new ArrayList<>();
      noted.stream()
          .filter(each -> each.what() != Happening.What.AT_TARGET)
          .filter(each -> each.what().isAboutWork() || existing.contains(each.name()))
          .map(each -> each.what() + " " + each.name())
          .forEach(decisions::add);
      world
          .cluster()
          .pools()
          .values()
          .forEach(pool -> {
            decisions.add("%s has %d".formatted(pool.id().name(), atEnd(world, pool).nodes()));
            lacking(pool)
                .map(each -> "%s: %s".formatted(pool.id().name(), each.reason().word()))
                .forEach(decisions::add);
          });
      return decisions.stream().sorted().toList();
    }
  }
}
