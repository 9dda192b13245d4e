package io.nodepool.world.liars;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares what the operator did with what it may do. What is right follows from what monitors,
 * machines, Pods and people did, and from what the operator published as held.
 */
final class Oracles {
  private static final Set<String> LEAVES_ANYWAY = Set.of("deletion", "reclaim", "shrink");

  /** Of each kind, so many violations of a run are told. */
  private static final int TOLD = 2;

  private final LiarRun run;
  private final World world;
  private final WorldCluster cluster;
  private final Claims claims;
  private final Published published;
  private final Promises promises;
  private Deeds deeds;
  private Set<String> alerts = Set.of();
  private final List<Violation> violations = new ArrayList<>();

  /** Whether its fleet could not verify at some time. */
  private boolean weak;

  /** Since when true faults stand, by the UID of the Host. */
  private final Map<String, Instant> waiting = new HashMap<>();

  /** Since when too many Nodes have an alert, by the UID of their pool and the alert. */
  private final Map<String, Instant> many = new HashMap<>();

  private boolean looked;
  private Duration longestWait = Duration.ZERO;
  private int mostWorkEnded;
  private int mostSetAside;

  Oracles(LiarRun run, World world, Claims claims, Published published, Promises promises) {
    this.run = run;
    this.world = world;
    this.cluster = world.cluster();
    this.claims = claims;
    this.published = published;
    this.promises = promises;
    this.weak = run.fleet() == LiarRun.Fleet.CANNOT;
  }

  void of(Deeds told, Set<String> inRun) {
    deeds = told;
    alerts = inRun;
  }

  /** From now on the fleet does not verify. */
  void weakens() {
    weak = true;
  }

  @SuppressWarnings("AnnotateFormatMethod")
  private void add(Violation.Kind kind, String what, Object... arguments) {
    if (violations.stream().filter(each -> each.kind() == kind).count() < TOLD) {
      violations.add(new Violation(kind, world.instant(), what.formatted(arguments)));
    }
  }

  /** The operator did something now. */
  void heard(Deeds.Deed deed) {
    promises.read(alerts);
    boolean proved = deeds.isProved(deed);
    if (deed.what() == Deeds.What.SET_ASIDE) {
      return;
    }
    if (deed.what() == Deeds.What.BOOTED && deed.excuse().equals("silence")) {
      isNoPartition(deed);
    }
    if (!deed.excuse().isEmpty()) {
      return;
    }
    if (!deed.claims().isEmpty() && !proved) {
      isNotHeld(deed);
      isAsPromised(deed);
      isFresh(deed);
      isVerified(deed);
      isBelieved(deed);
    }
    if (deed.what() == Deeds.What.WORK_ENDED && !deeds.isChanging(deed.pool())) {
      isConsented(deed);
    }
  }

  private void isNotHeld(Deeds.Deed deed) {
    boolean isProbe =
        deed.what() == Deeds.What.WORK_ENDED
            && published.isProbe(deed.poolUid(), deed.host().id().uid());
    boolean held =
        deed.claims().stream()
            .allMatch(
                claim -> published.isHeld(deed.poolUid(), claim.alert(), LiarBounds.UNDER_WAY));
    // A boot that began goes on to its end, and one that did not pass is repaired.
    boolean goesOn =
        deeds.isProved(deed)
            || (deed.what() == Deeds.What.BOOTED
                && deed.host().boot().filter(last -> last.attempt() > 1).isPresent());
    if (held && !isProbe && !goesOn) {
      add(Violation.Kind.HELD, "%s, though all these were called held", deed);
    }
  }

  private void isAsPromised(Deeds.Deed deed) {
    List<Promises.Promise> made =
        deed.claims().stream()
            .flatMap(claim -> promises.of(deed.poolUid(), claim.alert()).stream())
            .filter(promise -> !promise.isOfOthers() || !begun(deed).isBefore(promise.at()))
            .toList();
    if (deed.what() != Deeds.What.WORK_ENDED
        && !deeds.isProved(deed)
        && made.size() == deed.claims().size()) {
      add(
          Violation.Kind.PROMISE,
          "%s, after the Event \"%s\" at %s",
          deed,
          made.getFirst().message(),
          Deeds.time(made.getFirst().at()));
    }
  }

  /** Since when the Node is disrupted to which something is done now. */
  private Instant begun(Deeds.Deed deed) {
    return cluster
        .node(deed.name())
        .flatMap(Node::disruption)
        .flatMap(Disruption::active)
        .map(Disruption.Active::since)
        .orElse(deed.at());
  }

  private void isFresh(Deeds.Deed deed) {
    Instant stale = world.instant().minus(LiarBounds.STALE);
    boolean begins =
        deeds.all.stream()
            .filter(each -> !each.equals(deed) && each.name().equals(deed.name()))
            .noneMatch(each -> each.at().isAfter(world.instant().minus(Duration.ofHours(24))));
    if (begins
        && deed.claims().stream()
            .allMatch(claim -> !claim.isOfFleet() && lastHeard(claim).isBefore(stale))) {
      add(Violation.Kind.STALE, "%s, which nobody has reported since %s", deed, Deeds.time(stale));
    }
  }

  /** When its source last wrote it, or last said that it lives: with that all it wrote stands. */
  private Instant lastHeard(Claims.Claim claim) {
    return cluster
        .signals()
        .heartbeat(claim.source())
        .filter(claim.written()::isBefore)
        .orElse(claim.written());
  }

  /** Too many Nodes have each of its alerts, and fewer than three machines did not pass. */
  private void isBelieved(Deeds.Deed deed) {
    Instant day = world.instant().minus(Duration.ofHours(24));
    Instant since = world.instant().minus(LiarBounds.OBSERVED);
    long failed =
        deeds.failed.values().stream()
            .filter(all -> all.stream().map(Deeds.Failure::at).anyMatch(day::isBefore))
            .count();
    boolean begins =
        deed.what() == Deeds.What.STOPPED
            || (deed.what() == Deeds.What.BOOTED
                && deed.host().boot().filter(last -> last.attempt() == 1).isPresent());
    if (begins
        && failed < 3
        && !run.isChanged()
        && deed.alerts().stream()
            .allMatch(alert ->
                many.getOrDefault(deed.poolUid() + "/" + alert, Instant.MAX).isBefore(since))) {
      add(Violation.Kind.DOUBT, "%s, though so many Nodes have each of these", deed);
    }
  }

  /** Since when each alert stands on more Nodes of a pool than may be believed. */
  private void countStanding() {
    Map<String, Integer> counts = new HashMap<>();
    cluster.nodes().values().stream()
        .filter(node -> !node.isTerminating())
        .forEach(node ->
            claims.acting(node.name(), Duration.ZERO).stream()
                .filter(claim -> claims.catalogue.alert(claim.alert()).symptomOf().isEmpty())
                .map(claim -> node.poolUid() + "/" + claim.alert())
                .distinct()
                .forEach(key -> counts.merge(key, 1, Integer::sum)));
    counts
        .entrySet()
        .removeIf(each ->
            each.getValue()
                <= LiarBounds.silent(
                    (int)
                        cluster.nodes().values().stream()
                            .filter(node -> each.getKey().startsWith(node.poolUid() + "/"))
                            .count()));
    many.keySet().retainAll(counts.keySet());
    counts.keySet().forEach(key -> many.putIfAbsent(key, world.instant()));
  }

  private void isVerified(Deeds.Deed deed) {
    boolean verified =
        deed.host()
            .boot()
            .filter(last -> !last.kind().boots())
            .filter(last -> last.at().isAfter(world.instant().minus(LiarBounds.VERIFIED)))
            .isPresent();
    if (deed.what() == Deeds.What.STOPPED
        && !verified
        && !weak
        && !run.isChanged()
        && deed.host().preserved().isEmpty()) {
      add(Violation.Kind.UNVERIFIED, "%s, which was not verified before", deed);
    }
  }

  private void isConsented(Deeds.Deed deed) {
    Optional<Pool> pool = cluster.pool(deed.pool());
    boolean repairs = pool.filter(each -> each.spec().repair().isRepairing()).isPresent();
    boolean isProtected =
        pool.filter(each -> each.spec().lifecycle().disableUnhealthyNodeEviction()).isPresent();
    boolean asked =
        claims.acting(deed.name(), LiarBounds.OBSERVED).stream()
            .map(claim -> claims.catalogue.alert(claim.alert()))
            .anyMatch(alert -> !isProtected || alert.overridesEviction());
    if (!repairs || !asked) {
      add(
          Violation.Kind.CONSENT,
          "%s, in a pool that %s and is %s, where %s",
          deed,
          repairs ? "repairs" : "observes",
          isProtected ? "protected" : "not protected",
          asked ? "an alert asks for it" : "no alert that stands asks for it");
    }
  }

  private void isNoPartition(Deeds.Deed deed) {
    long silent =
        cluster.nodes().values().stream()
            .filter(node -> node.poolUid().equals(deed.poolUid()))
            .filter(node -> deeds.isSilent(node, Duration.ofMinutes(15)))
            .filter(node ->
                cluster
                    .host(node.name())
                    .filter(host -> host.is(HostPhase.RUNNING))
                    // A Node that is kept for inspection has left its pool.
                    .filter(host -> host.preserved().isEmpty())
                    .filter(host ->
                        host.id().uid().equals(deed.host().id().uid()) || !host.isRebooting())
                    .isPresent())
            .count();
    if (deed.claims().isEmpty() && silent > LiarBounds.silent(deed.nodes())) {
      add(
          Violation.Kind.PARTITION,
          "%s, while %d Nodes are silent whose machines run",
          deed,
          silent);
    }
  }

  /** Some minutes have passed. */
  void tick() {
    countStanding();
    run.fault()
        .ifPresent(fault -> {
          Instant now = world.instant();
          Set<String> present = new HashSet<>();
          faulty(fault)
              .forEach(host -> {
                present.add(host.id().uid());
                Instant since = waiting.computeIfAbsent(host.id().uid(), _ -> now);
                longestWait = LiarRun.max(longestWait, Duration.between(since, now));
              });
          waiting.keySet().retainAll(present);
        });
  }

  /** The machines of pools that have a true fault. */
  private Stream<Host> faulty(LiarRun.TrueFault fault) {
    return cluster.hosts().values().stream()
        .filter(host -> host.serving().isPresent())
        .filter(host -> claims.ofFleet(host.id().name()).contains(fault.alert()));
  }

  boolean isAllRepaired() {
    return waiting.isEmpty();
  }

  private Alert fault() {
    return AlertCatalogue.shipped().alert(run.fault().orElseThrow().alert());
  }

  private Duration each() {
    return switch (run.fleet()) {
      case VERIFIES, STRAY, CANNOT -> Duration.ofHours(1);
      case SLOWLY -> Duration.ofMinutes(150);
      case NEVER -> Duration.ofHours(5);
    };
  }

  /** How long these machines take, those at once that a pool of this size repairs at once. */
  private Duration inTurn(int machines, int nodes) {
    return each()
        .multipliedBy(machines)
        .dividedBy(Math.max(1, nodes / 20))
        .plus(run.work().isEndless() ? Duration.ZERO : run.work().lasts().multipliedBy(2));
  }

  private int size() {
    LiarRun.PoolPlan pool = run.pools().getFirst();
    return pool.racks() > 0 ? pool.racks() * 18 : pool.size();
  }

  /**
   * How long the repair of all that waits takes once a person releases it, and looks so often
   * again: each release lets no more machines be set aside without proof than the limit.
   */
  Duration repairTime(Duration looks) {
    int each =
        Math.min(
            LiarBounds.asideOfPool(size(), false),
            LiarBounds.asideOfType(cluster.hosts().size(), false));
    Duration released =
        run.fault().isPresent() && fault().grade().takesOut()
            ? looks.multipliedBy(Math.ceilDiv(waiting.size(), each))
            : Duration.ZERO;
    Duration inTurn = inTurn(waiting.size(), size());
    return (released.compareTo(inTurn) > 0 ? released : inTurn).plusHours(12);
  }

  /** A person looks for the first time: what is not repaired is named. */
  void looked() {
    if (looked || waiting.isEmpty()) {
      return;
    }
    looked = true;
    if (run.isChanged() || run.fault().isEmpty()) {
      return;
    }
    List<Host> hosts = faulty(run.fault().get()).toList();
    for (Host host : hosts) {
      String text =
          host.assignment()
              .flatMap(held -> cluster.pool(held.pool().name()))
              .map(Published::text)
              .orElse("");
      boolean waits =
          cluster.node(host.id().name()).filter(Node::cordoned).isPresent()
              && cluster.workloads().isBusy(host.id().name());
      if (!waits
          && !isUnderWay(host)
          && !text.contains(fault().name())
          && !text.contains(host.id().name())) {
        add(
            Violation.Kind.NOT_NAMED,
            "%s stands on %s and is not repaired; what is published: %s",
            fault().name(),
            host.id().name(),
            text);
      }
    }
    if (!hosts.isEmpty() && isUnaided(hosts.size())) {
      add(
          Violation.Kind.NOT_REPAIRED,
          "%d machines have %s after %s, and no limit holds them",
          hosts.size(),
          fault().name(),
          longestWait);
    }
  }

  /** Whether the machine was told to boot or to be verified, and has not answered yet. */
  private boolean isUnderWay(Host host) {
    return host.boot()
        .filter(last -> last.at().isAfter(world.instant().minus(each())))
        .filter(last -> host.verified(last).isEmpty())
        .isPresent();
  }

  /** Whether all that is faulty could be repaired within a day, without a person. */
  private boolean isUnaided(int left) {
    int all =
        switch (run.fault().orElseThrow().extent()) {
          case ONE -> 1;
          case FIVE -> 5;
          case QUARTER -> Math.max(1, size() / 4);
          case RACK, ALL -> size();
        };
    boolean verifies = run.fleet() == LiarRun.Fleet.VERIFIES || run.fleet() == LiarRun.Fleet.SLOWLY;
    boolean within =
        !fault().grade().takesOut()
            || (all <= LiarBounds.asideOfPool(size(), true)
                && all <= LiarBounds.asideOfType(cluster.hosts().size(), true));
    return left > 0
        && verifies
        && !weak
        && within
        && run.liars().isEmpty()
        && run.beside().isEmpty()
        && inTurn(all, size()).compareTo(Duration.ofHours(20)) < 0;
  }

  /**
   * The run is over.
   *
   * @param cordoned the Nodes that users cordoned
   * @param liesEnded when the last liar ended, and the last Nodes were heard of again
   */
  void atEnd(Set<String> cordoned, Instant liesEnded) {
    if (!waiting.isEmpty() && hasSpare()) {
      add(
          Violation.Kind.NOT_REPAIRED,
          "%d machines still have %s, the longest for %s; published: %s",
          waiting.size(),
          fault().name(),
          longestWait,
          cluster.pool("a").map(Published::text).orElse("no pool"));
    }
    boolean quiet =
        run.fault().isEmpty()
            && !run.isChanged()
            && run.fleet() != LiarRun.Fleet.NEVER
            && world.instant().isAfter(liesEnded.plus(LiarBounds.CORDON_ENDS));
    if (quiet) {
      for (Node node : cluster.nodes().values()) {
        if (isLeftCordoned(node) && !cordoned.contains(node.name())) {
          add(
              Violation.Kind.LEFT_CORDONED,
              "%s of %s is cordoned, %s after the last lie",
              node.name(),
              cluster.poolOf(node).map(pool -> pool.id().name()).orElse("?"),
              Duration.between(liesEnded, world.instant()));
        }
      }
    }
  }

  /** Whether a machine is left that a pool could get in the place of another one. */
  private boolean hasSpare() {
    return cluster.hosts().values().stream()
        .anyMatch(host -> host.assignment().isEmpty() && !host.deliveries().isSetAside());
  }

  private boolean isLeftCordoned(Node node) {
    Optional<Host> host = cluster.host(node.name());
    Optional<Pool> pool = cluster.poolOf(node);
    return node.cordoned()
        && node.ready()
        && host.filter(each -> each.is(HostPhase.RUNNING) && each.reclaim().isEmpty()).isPresent()
        // Kept for inspection, as its pool asks.
        && host.flatMap(Host::preserved).isEmpty()
        && pool.filter(each -> !each.isTerminating()).isPresent()
        && pool.filter(each -> each.spec().target() >= nodes(each)).isPresent()
        && claims.acting(node.name(), LiarBounds.CORDON_ENDS).isEmpty()
        && !deeds.requested.containsKey(node.name())
        && !deeds.rollouts.containsKey(pool.map(each -> each.id().name()).orElse(""))
        && !deeds.failed.containsKey(node.hostUid())
        && !isBootedOfLate(node);
  }

  /** It stays cordoned until it is Ready and verified again. */
  private boolean isBootedOfLate(Node node) {
    Instant late = world.instant().minus(LiarBounds.CORDON_ENDS);
    return deeds.all.stream()
        .filter(deed -> deed.what() == Deeds.What.BOOTED && deed.at().isAfter(late))
        .anyMatch(deed -> deed.name().equals(node.name()));
  }

  private long nodes(Pool pool) {
    return cluster.nodes().values().stream()
        .filter(node -> node.poolUid().equals(pool.id().uid()))
        .count();
  }

  /** What became of the run; a text that is not empty names an invariant that did not hold. */
  Outcome outcome(String broken) {
    if (!broken.isEmpty()) {
      add(Violation.Kind.WORLD, "%s", broken);
    }
    Map<String, List<Deeds.Deed>> byPool =
        deeds.all.stream().collect(Collectors.groupingBy(Deeds.Deed::poolUid));
    byPool.values().forEach(this::countWorkEnded);
    byPool.values().forEach(of -> countSetAside(of, deed -> deed.nodes(), false));
    countSetAside(deeds.all, _ -> cluster.hosts().size(), true);
    return new Outcome(
        run, List.copyOf(violations), mostWorkEnded, mostSetAside, longestWait, happened());
  }

  private Map<String, Long> happened() {
    Map<String, Long> happened =
        new TreeMap<>(
            deeds.all.stream()
                .collect(
                    Collectors.groupingBy(
                        deed ->
                            deed.what() + (deed.excuse().isEmpty() ? "" : " for " + deed.excuse()),
                        Collectors.counting())));
    happened.put("verification failed", deeds.failed.values().stream().mapToLong(List::size).sum());
    happened.put("verification passed", deeds.passed.values().stream().mapToLong(List::size).sum());
    happened.put("true fault", run.fault().isPresent() ? 1L : 0L);
    happened.put("true fault that a person released", looked ? 1L : 0L);
    return happened;
  }

  private void countWorkEnded(List<Deeds.Deed> ofPool) {
    List<Deeds.Deed> unproved =
        ofPool.stream()
            .filter(deed -> deed.what() == Deeds.What.WORK_ENDED)
            .filter(deed -> deed.excuse().isEmpty() && !deed.claims().isEmpty())
            .filter(deed -> !deeds.isProved(deed))
            .filter(deed -> !isOfRepairedRack(deed, ofPool))
            .toList();
    List<Deeds.Deed> most = worst(unproved, LiarBounds::workEnded);
    mostWorkEnded = Math.max(mostWorkEnded, Deeds.machines(worst(unproved, _ -> 0)).size());
    tell(most, "unproved, of all alerts together");
    List<Deeds.Deed> lies = unproved.stream().filter(Deeds.Deed::isForLies).toList();
    int alarms = lies.stream().map(Deeds.Deed::alerts).collect(union()).size();
    boolean anyWeak = lies.stream().flatMap(d -> d.alerts().stream()).anyMatch(this::isWeak);
    tell(worst(lies, nodes -> LiarBounds.workEndedFor(alarms, nodes, anyWeak)), "for false alarms");
    lies.stream()
        .map(Deeds.Deed::alerts)
        .filter(of -> of.size() == 1)
        .flatMap(Set::stream)
        .distinct()
        .forEach(alert ->
            tell(
                worst(
                    lies.stream().filter(deed -> deed.alerts().equals(Set.of(alert))).toList(),
                    nodes ->
                        isDoubtedFromItsStart(alert)
                            ? LiarBounds.PROBED_BUSY
                            : LiarBounds.workEndedForOne(nodes, isWeak(alert))),
                "for one false alarm"));
  }

  /**
   * Whether the work ended with that of its rack, the first one that is repaired as a whole for an
   * alert that three machines proved: a false one may end the work of one rack (docs/repair.md).
   */
  private boolean isOfRepairedRack(Deeds.Deed deed, List<Deeds.Deed> ofPool) {
    return deeds.provedForRack(deed).stream()
        .anyMatch(alert ->
            ofPool.stream()
                .filter(each -> each.what() == Deeds.What.WORK_ENDED)
                .filter(each -> deeds.provedForRack(each).contains(alert))
                .findFirst()
                .filter(first -> rack(first).equals(rack(deed)))
                .filter(first -> deed.at().isBefore(first.at().plus(LiarBounds.PROBE)))
                .isPresent());
  }

  private static Collector<Set<String>, ?, Set<String>> union() {
    return Collectors.reducing(
        Set.of(),
        (one, other) -> {
          Set<String> both = new TreeSet<>(one);
          both.addAll(other);
          return both;
        });
  }

  /**
   * Whether an alert stands on all Nodes of its pool at once, these are enough for doubt, and
   * nothing else happens: it is in doubt before anything is done for it, so that work ends for a
   * probe alone.
   */
  private boolean isDoubtedFromItsStart(String alert) {
    List<Liar> liars = run.liars().stream().filter(each -> each.alert().equals(alert)).toList();
    return liars.size() == 1
        && isMoreThanItsShare(run.pools().get(liars.getFirst().pool()))
        && liars.getFirst().who() == Liar.Who.ALL
        && liars.getFirst().holdsOn()
        && run.fault().isEmpty()
        && run.beside().isEmpty()
        && run.changes().isEmpty()
        && run.reaction().isEmpty();
  }

  private static boolean isMoreThanItsShare(LiarRun.PoolPlan pool) {
    return pool.racks() > 0 || pool.size() > LiarBounds.share(pool.size());
  }

  /** Whether more may be done for an alert: it is not verified, or it was off after boots. */
  private boolean isWeak(String alert) {
    return weak
        || run.reaction().filter(each -> each.what() == LiarRun.Reaction.WITHDRAWN).isPresent()
        || run.liars().stream()
            .filter(liar -> liar.alert().equals(alert))
            .anyMatch(liar ->
                switch (liar.who()) {
                  case BUSY, IDLE, FOLLOWING -> !liar.holdsOn();
                  case BLINKING, FLEEING, SHRINKING -> true;
                  case ALL, RACK, HALF, FEW, GROWING -> false;
                });
  }

  private static List<String> brief(List<Deeds.Deed> deeds) {
    return deeds.stream().map(Deeds.Deed::brief).toList();
  }

  private void tell(List<Deeds.Deed> most, String how) {
    if (!most.isEmpty()) {
      add(
          Violation.Kind.WORK_ENDED,
          "the work of %d Nodes %s: %s",
          Deeds.machines(most).size(),
          how,
          brief(most));
    }
  }

  /** The most deeds of a day that are more than a limit, which depends on the size of the pool. */
  private static List<Deeds.Deed> worst(List<Deeds.Deed> deeds, ToIntFunction<Integer> limit) {
    List<Deeds.Deed> worst = List.of();
    for (Deeds.Deed last : deeds) {
      List<Deeds.Deed> day =
          deeds.stream()
              .filter(each ->
                  !each.at().isAfter(last.at())
                      && each.at().isAfter(last.at().minus(LiarBounds.DAY)))
              .toList();
      int nodes = day.stream().mapToInt(Deeds.Deed::nodes).max().orElse(0);
      int count = Deeds.machines(day).size();
      if (count > limit.applyAsInt(nodes) && count > Deeds.machines(worst).size()) {
        worst = day;
      }
    }
    return worst;
  }

  /**
   * What leaves anyway, and what is kept for inspection, counts and is never prevented; what a
   * person released, and machines that do not run, have limits of their own.
   */
  private void countSetAside(List<Deeds.Deed> of, ToIntFunction<Deeds.Deed> size, boolean ofType) {
    List<Deeds.Deed> aside =
        of.stream()
            .filter(deed -> deed.what() == Deeds.What.SET_ASIDE)
            .filter(deed -> !deed.claims().isEmpty())
            .filter(deed -> deed.excuse().isEmpty() || LEAVES_ANYWAY.contains(deed.excuse()))
            .toList();
    for (boolean proved : new boolean[] {false, true}) {
      Predicate<Deeds.Deed> counts = deed -> deeds.isProved(deed) == proved;
      List<Deeds.Deed> counted = aside.stream().filter(counts).toList();
      for (Deeds.Deed last : counted) {
        List<Deeds.Deed> day =
            counted.stream()
                .filter(each ->
                    !each.at().isAfter(last.at())
                        && each.at().isAfter(last.at().minus(LiarBounds.DAY)))
                .toList();
        if (!ofType) {
          mostSetAside = Math.max(mostSetAside, Deeds.machines(day).size());
        }
        int nodes = day.stream().mapToInt(size).max().orElse(0);
        int most =
            ofType ? LiarBounds.asideOfType(nodes, proved) : LiarBounds.asideOfPool(nodes, proved);
        boolean prevented = last.excuse().isEmpty() && last.host().preserved().isEmpty();
        if (prevented && units(day) > most) {
          add(
              Violation.Kind.SET_ASIDE,
              "%d Hosts %s of %s in a day, more than %d: %s",
              Deeds.machines(day).size(),
              proved ? "proved" : "unproved",
              ofType ? "a type" : "a pool",
              most,
              brief(day));
          break;
        }
      }
    }
    int racks = of.stream().mapToInt(Deeds.Deed::racks).max().orElse(0);
    if (racks > 0 && wholeRacks(aside).size() > LiarBounds.racksAside(racks)) {
      add(Violation.Kind.SET_ASIDE, "%d racks as a whole", wholeRacks(aside).size());
    }
  }

  /** The Hosts, of which those of a rack that is set aside as a whole count as one. */
  private static int units(List<Deeds.Deed> day) {
    Set<String> whole = wholeRacks(day);
    return whole.size()
        + (int)
            day.stream()
                .filter(deed -> !whole.contains(rack(deed)))
                .map(Deeds.Deed::name)
                .distinct()
                .count();
  }

  private static Set<String> wholeRacks(List<Deeds.Deed> aside) {
    return aside.stream()
        .filter(deed -> deed.racks() > 0)
        .collect(Collectors.groupingBy(Oracles::rack, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(each -> each.getValue() >= 9)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private static String rack(Deeds.Deed deed) {
    return deed.host().machine().location().rack();
  }
}
