package io.nodepool.world.liars;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.plan.Action;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.MachineFault;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Plays a run in the virtual world. */
final class LiarPlay {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final String RACK_TYPE = "gb200-4x";

  /** Between two looks at the cluster. */
  static final Duration TICK = Duration.ofMinutes(5);

  private static final int RACK = 18;

  /** After so many steps a run is taken for one that does not come to an end. */
  private static final long MOST_STEPS = 300_000;

  /** The counts of the operator are audited rarely: other suites do that after each few steps. */
  private static final int AUDITED = 5_000;

  /** A person looks again so long after the last time. */
  private static final Duration LOOKS = Duration.ofHours(6);

  /** So long the pools grow before anything happens. */
  private static final Duration GROWN = Duration.ofHours(2);

  private static final Instant BEGIN = World.START.plus(GROWN);

  private final LiarRun run;
  private final SplittableRandom random;
  private final World world;

  /** When the last Nodes are heard of again that were cut off. */
  private Instant silentUntil = Instant.MIN;

  private final WorldCluster cluster;
  private final Claims claims;
  private final Deeds deeds;
  private final Published published;
  private final Promises promises;
  private final Oracles oracles;
  private final Tenants tenants;
  private final List<Monitor> monitors = new ArrayList<>();

  /** Alerts that occur in the run. */
  private final Set<String> alerts = new TreeSet<>();

  /** Nodes that users cordoned. */
  private final Set<String> cordoned = new HashSet<>();

  /** The user's changes of the alerts. */
  private Consumer<Action> arriving = _ -> {};

  private boolean reacted;

  /** Plays the run of a seed. */
  static Outcome outcome(long seed, OperatorOverrides overrides) {
    return new LiarPlay(LiarRun.of(seed), overrides).play();
  }

  LiarPlay(LiarRun run, OperatorOverrides overrides) {
    this.run = run;
    this.random = new SplittableRandom(~run.seed());
    DataCentre dataCentre = dataCentre();
    this.world =
        OpenWorld.of(
            run.seed(),
            dataCentre,
            overrides.withWire((action, at) -> {
              arriving.accept(action);
              return overrides.wiring().wire().carried(action, at);
            }),
            AUDITED);
    if (Boolean.getBoolean("world.trace")) {
      world.trace(System.out::println);
    }
    world.endAfter(MOST_STEPS);
    this.cluster = world.cluster();
    this.claims = new Claims(cluster, world);
    this.published = new Published(cluster, world);
    this.promises = new Promises(cluster, world);
    this.oracles = new Oracles(run, world, claims, published, promises);
    this.deeds = new Deeds(world, claims, oracles::heard);
    this.arriving = this::arrives;
    oracles.of(deeds, alerts);
    this.tenants = new Tenants(world, run.work(), random.split());
    run.liars().forEach(liar -> alerts.add(liar.alert()));
    run.fault().ifPresent(fault -> alerts.add(fault.alert()));
  }

  private void arrives(Action action) {
    deeds.arrives(action);
    boolean ends = action instanceof Action.EvictPod || action instanceof Action.DeletePod;
    if (ends && !reacted && run.reaction().isPresent()) {
      reacted = true;
      String node =
          action instanceof Action.EvictPod evict
              ? evict.subject().node()
              : ((Action.DeletePod) action).subject().node();
      world.later(run.reaction().get().at(), () -> react(run.reaction().get().what(), node));
    }
  }

  private void react(LiarRun.Reaction what, String node) {
    switch (what) {
      case WITHDRAWN -> monitors.forEach(monitor -> monitor.withdraw(node));
      case PROTECTED -> change(LiarRun.Change.PROTECT);
      case OBSERVED -> change(LiarRun.Change.OBSERVE);
      case WATCHED -> alerts.stream().findFirst().ifPresent(alert -> grade(alert, "watch"));
      case RESTARTED -> OpenWorld.restart(world, Duration.ofMinutes(2));
      case VERIFICATION_ASKED ->
          cluster.node(node).ifPresent(each -> request(each, LifecycleState.VERIFICATION));
    }
  }

  private DataCentre dataCentre() {
    boolean inRacks = run.pools().getFirst().racks() > 0;
    int nodes = run.pools().stream().mapToInt(LiarRun.PoolPlan::size).sum();
    int racks = inRacks ? run.pools().getFirst().racks() + 1 : nodes * 3 / 2 / RACK + 1;
    DataCentre machines = OpenWorld.racks(inRacks ? RACK_TYPE : TYPE, racks, RACK);
    List<String> names = OpenWorld.names(machines);
    DataCentre.Mishaps mishaps = DataCentre.Mishaps.NONE;
    if (run.fault().isPresent()) {
      mishaps = mishaps.withFaults(List.of(fault(run.fault().get(), names)));
    }
    return machines
        .withTimings(
            new DataCentre.Timings(
                    Duration.ofMinutes(8), Duration.ofMinutes(14), Duration.ofMinutes(5))
                .withVerification(run.fleet().verification))
        .withMishaps(mishaps);
  }

  /** The machines that have the fault, of those that the first pool gets. */
  List<String> faulty(List<String> names) {
    LiarRun.PoolPlan pool = run.pools().getFirst();
    int size = pool.racks() > 0 ? pool.racks() * RACK : pool.size();
    int count =
        switch (run.fault().orElseThrow().extent()) {
          case ONE -> 1;
          case FIVE -> 5;
          case QUARTER -> Math.max(1, size / 4);
          case RACK -> RACK;
          case ALL -> size;
        };
    return names.subList(0, Math.min(count, size));
  }

  private MachineFault fault(LiarRun.TrueFault fault, List<String> names) {
    boolean out = AlertCatalogue.shipped().alert(fault.alert()).grade().takesOut();
    return new MachineFault(
        new TreeSet<>(faulty(names)),
        new MachineFault.Part(fault.alert(), "gpu3"),
        new MachineFault.Begin.At(BEGIN.plus(fault.from())),
        MachineFault.Course.STANDS,
        out
            ? MachineFault.Healing.REPLACEMENT
            : AlertCatalogue.shipped().alert(fault.alert()).grade().boots()
                ? MachineFault.Healing.REBOOT
                : MachineFault.Healing.COMPONENT_REPAIR);
  }

  private static String name(int pool) {
    return String.valueOf((char) ('a' + pool));
  }

  private void edit(String pool, UnaryOperator<PoolSpec> change) {
    if (cluster.pool(pool).isPresent()) {
      deeds.changed.put(pool, world.instant());
      cluster.editPool(pool, change);
    }
  }

  private void create() {
    for (int i = 0; i < run.pools().size(); i++) {
      LiarRun.PoolPlan plan = run.pools().get(i);
      PoolSpec spec = Fixtures.spec(plan.racks() > 0 ? RACK_TYPE : TYPE, plan.size());
      if (plan.racks() > 0) {
        spec =
            spec.withSize(
                spec.size()
                    .withTargetNodes(OptionalInt.empty())
                    .withTargetRacks(OptionalInt.of(plan.racks())));
      }
      if (plan.spot()) {
        spec = spec.withMachines(spec.machines().withComputeClass("spot"));
      }
      spec = spec.withLifecycle(spec.lifecycle().withDisableUnhealthyNodeEviction(run.protects()));
      cluster.createPool(name(i), spec, world.instant());
      // The first one gets the first machines.
      world.advance(Duration.ofMinutes(1));
    }
    world.advance(Duration.between(world.instant(), BEGIN));
  }

  /** Plays it, and returns what happened that must not. */
  Outcome play() {
    long begin = System.nanoTime();
    String broken = "";
    try {
      if (run.fleet() == LiarRun.Fleet.CANNOT) {
        offerVerification(false);
      }
      create();
      cluster.pools().values().forEach(pool -> tenants.place(pool, true));
      schedule();
      Instant over = BEGIN.plus(over());
      Instant looked = LiarPlay.later(over, BEGIN.plus(looked()));
      Instant end = Instant.MAX;
      tick();
      while (world.instant().isBefore(end)
          && (world.instant().isBefore(over) || !oracles.isAllRepaired())) {
        world.advance(TICK);
        tick();
        if (world.instant().equals(looked)) {
          // The time runs from the first look on.
          end = end.equals(Instant.MAX) ? looked.plus(oracles.repairTime(LOOKS)) : end;
          look();
          looked = looked.plus(LOOKS);
        }
      }
      oracles.atEnd(cordoned, LiarPlay.later(BEGIN.plus(run.liesEnd()), silentUntil));
    } catch (IllegalStateException untrue) {
      broken = String.valueOf(untrue.getMessage());
    }
    if (Boolean.getBoolean("liars.times")) {
      System.out.printf(
          "%d ms, %d steps, %s: %s%n",
          (System.nanoTime() - begin) / 1_000_000, world.steps(), Deeds.time(world.instant()), run);
    }
    return oracles.outcome(broken);
  }

  /** When all has happened that happens, and what follows from it, since the pools have grown. */
  private Duration over() {
    Duration over = run.liesEnd().plus(Duration.ofHours(3));
    for (LiarRun.Timed<LiarRun.Beside> each : run.beside()) {
      over = LiarRun.max(over, each.at().plus(Duration.ofHours(2)));
    }
    if (run.fault().isPresent()) {
      over = LiarRun.max(over, run.fault().get().from().plus(Duration.ofHours(4)));
    }
    return Duration.ofMinutes(over.toMinutes() / 5 * 5 + 5);
  }

  /** When a person looks at what is not repaired, since the pools have grown. */
  private Duration looked() {
    Duration begun = run.fault().map(LiarRun.TrueFault::from).orElse(Duration.ZERO);
    Duration at = LiarRun.max(begun, run.liesEnd()).plus(LiarBounds.LOOKED_AT);
    return Duration.ofMinutes(at.toMinutes() / 5 * 5 + 5);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private void schedule() {
    for (Liar liar : run.liars()) {
      world.later(
          liar.from(),
          () ->
              cluster
                  .pool(name(liar.pool()))
                  .ifPresent(pool ->
                      monitors.add(new Monitor(world, liar, pool.id().uid(), world.instant()))));
    }
    run.beside().forEach(each -> world.later(each.at(), () -> beside(each.what())));
    run.changes().forEach(each -> world.later(each.at(), () -> change(each.what())));
    // The power of all machines of the pool fails with their fault.
    run.fault()
        .filter(fault -> fault.extent() == LiarRun.Extent.ALL && run.seed() % 2 == 0)
        .ifPresent(fault ->
            world.later(
                fault.from(),
                () ->
                    nodes("a")
                        .forEach(
                            node -> world.actors().trip(node.name(), Duration.ofMinutes(12)))));
    if (run.fleet() == LiarRun.Fleet.STRAY) {
      List<Node> nodes = nodes("a");
      if (!nodes.isEmpty()) {
        String host = nodes.get(random.nextInt(nodes.size())).name();
        cluster.fleetOwner().reboot(host, 0, RebootMishaps.Kind.VERIFICATION_FAILURE);
        cluster.watch(
            WorldCluster.Kind.HOSTS,
            seen -> {
              if (seen instanceof Observation.HostSeen(Host each)
                  && each.id().name().equals(host)
                  && deeds.failed.containsKey(each.id().uid())
                  && !cluster.fleetOwner().rebootScript().isEmpty()) {
                world.later(Duration.ofSeconds(1), () -> cluster.fleetOwner().healReboots(host));
              }
            });
      }
    }
  }

  private List<Node> nodes(String pool) {
    String uid = cluster.pool(pool).map(each -> each.id().uid()).orElse("");
    return cluster.nodes().values().stream().filter(node -> node.poolUid().equals(uid)).toList();
  }

  private void tick() {
    monitors.forEach(Monitor::look);
    if (world.instant().getEpochSecond() % 600 < 300) {
      cluster.pools().values().stream()
          .filter(pool -> !pool.isTerminating())
          .forEach(pool -> tenants.place(pool, false));
    }
    promises.read(alerts);
    oracles.tick();
  }

  private void beside(LiarRun.Beside what) {
    Optional<Pool> pool = cluster.pool("a").filter(each -> !each.isTerminating());
    List<Node> nodes = nodes("a");
    if (pool.isEmpty() || nodes.isEmpty()) {
      return;
    }
    Node node = nodes.get(random.nextInt(nodes.size()));
    switch (what) {
      case ROLLOUT -> rollOut();
      case SPOT -> {
        cluster.fleetOwner().reclaim(node.name(), Duration.ofMinutes(7), world.instant());
        world.later(Duration.ofHours(3), () -> cluster.fleetOwner().withdrawReclaim(node.name()));
      }
      case USERS_VERIFICATION -> request(node, LifecycleState.VERIFICATION);
      case USERS_REBOOT -> request(node, LifecycleState.REBOOT);
      case CORDON -> {
        if (!node.cordoned()) {
          cordoned.add(node.name());
          cluster.nodeClients().cordon(node.name(), true);
          world.later(Duration.ofHours(20), () -> cluster.nodeClients().cordon(node.name(), false));
        }
      }
      case SHRINK -> resize(pool.get(), Math.max(1, pool.get().spec().target() * 2 / 3));
      case GROW -> resize(pool.get(), pool.get().spec().target() + 2);
      case DELETION -> cluster.deletePool("a", world.instant());
      case PRESERVE -> edit("a", spec -> spec.withRepair(spec.repair().withPreserve("true")));
      case PARTITION -> partition(nodes);
      case RESTART -> OpenWorld.restart(world, Duration.ofMinutes(1 + random.nextInt(30)));
    }
  }

  private void resize(Pool pool, int target) {
    deeds.shrunk.put(pool.id().name(), world.instant());
    edit(pool.id().name(), spec -> Fixtures.withTarget(spec, target));
  }

  private void partition(List<Node> nodes) {
    Duration lasts = Duration.ofMinutes(20 + random.nextInt(400));
    int count = 1 + random.nextInt(nodes.size());
    nodes.subList(0, count).forEach(node -> world.actors().silence(node.name(), lasts));
    silentUntil = LiarPlay.later(silentUntil, world.instant().plus(lasts));
  }

  private void request(Node node, LifecycleState state) {
    deeds.requested.put(node.name(), world.instant());
    cluster.nodeClients().appendPending(node.name(), state.word(), world.instant());
    cluster
        .nodeClients()
        .label(node.name(), NodeLabels.PENDING_STATE.key(), Optional.of(state.word()));
  }

  private void rollOut() {
    deeds.rollouts.put("a", world.instant());
    cluster.fleetOwner().publish(FleetRelease.whole("ncore-2.11.0", List.of("ncore-2.11.0")));
    world.later(Duration.ofMinutes(5), () -> command(true, Optional.empty()));
    world.later(Duration.ofMinutes(7), () -> command(false, Optional.of("start")));
  }

  private void command(boolean promote, Optional<String> rollout) {
    edit(
        "a",
        spec ->
            spec.withConfiguration(
                spec.configuration()
                    .withCommands(
                        spec.configuration()
                            .commands()
                            .withAsked(
                                new ConfigurationCommands.Asked(
                                    promote ? Optional.of("true") : Optional.empty(),
                                    Optional.empty(),
                                    rollout)))));
  }

  private void offerVerification(boolean verifies) {
    FleetOffer last = cluster.offer();
    TreeSet<BootKind> boots = new TreeSet<>(last.capabilities().boots());
    boots.remove(BootKind.VERIFICATION);
    if (verifies) {
      boots.add(BootKind.VERIFICATION);
    }
    cluster
        .fleetOwner()
        .offer(last.withCapabilities(last.capabilities().withBoots(boots).withVerifies(verifies)));
  }

  private void change(LiarRun.Change what) {
    String alert =
        alerts.isEmpty() ? "GPUVeryHot" : List.copyOf(alerts).get(random.nextInt(alerts.size()));
    switch (what) {
      case WEAKER_GRADE -> grade(alert, random.nextBoolean() ? "watch" : "reboot when idle");
      case STRONGER_GRADE -> grade(alert, random.nextBoolean() ? "out now" : "reboot now");
      case BAD_DOCUMENT -> cluster.fleetOwner().garbleAlerts("alerts.yaml line 3: no grade");
      case SHIPPED_GRADES -> catalogue(AlertCatalogue.shipped());
      case OBSERVE -> edit("a", spec -> spec.withRepair(spec.repair().withMode("observe")));
      case ACT -> edit("a", spec -> spec.withRepair(spec.repair().withMode("")));
      case OTHER_LIMITS ->
          edit(
              "a",
              spec ->
                  spec.withRepair(
                      spec.repair()
                          .withLimits(
                              PoolSpec.RepairBrakes.DEFAULTS
                                  .withUnavailable(
                                      new RolloutSettings.Limit(1 + random.nextInt(5), 0))
                                  .withAtOnce(
                                      new RolloutSettings.Limit(1 + random.nextInt(3), 0)))));
      case PROTECT, UNPROTECT ->
          edit(
              "a",
              spec ->
                  spec.withLifecycle(
                      spec.lifecycle()
                          .withDisableUnhealthyNodeEviction(what == LiarRun.Change.PROTECT)));
      case NO_VERIFICATION -> {
        oracles.weakens();
        offerVerification(false);
      }
      case NO_BOOTS -> {
        cluster.fleetOwner().withdrawBoot(BootKind.REBOOT);
        cluster.fleetOwner().withdrawBoot(BootKind.HOST_RESET);
      }
      case ALL_OFFERED ->
          cluster.fleetOwner().offer(cluster.offer().withCapabilities(FleetOffer.Capabilities.ALL));
      case LOSE_OFFER -> {
        cluster.fleetOwner().loseOffer("its document does not exist");
        FleetOffer last = cluster.offer();
        world.later(Duration.ofHours(2), () -> cluster.fleetOwner().offer(last));
      }
    }
  }

  private void grade(String alert, String grade) {
    catalogue(
        AlertCatalogue.shipped()
            .changedBy("alerts.yaml", "alerts: {%s: {grade: %s}}".formatted(alert, grade)));
  }

  private void catalogue(AlertCatalogue next) {
    claims.catalogue = next;
    claims.changed = world.instant();
    cluster.fleetOwner().alerts(next);
  }

  /** What a pool says of limits that a person releases. */
  private static final List<String> RELEASABLE =
      List.of("set aside for alerts within 24 hours", "only idle ones are repaired");

  /** A person looks at what is not repaired, finds it named, and releases it. */
  private void look() {
    changeBack();
    oracles.looked();
    TreeMap<String, Instant> until = new TreeMap<>();
    Instant end = world.instant().plus(Duration.ofHours(25));
    cluster.hosts().values().stream()
        .filter(host -> host.assignment().isPresent())
        .forEach(host -> claims.ofFleet(host.id().name()).forEach(alert -> until.put(alert, end)));
    for (Pool pool : List.copyOf(cluster.pools().values())) {
      Optional<String> hold = pool.status().failedReboots().hold();
      deeds.released.computeIfAbsent(pool.id().name(), _ -> new HashSet<>()).addAll(until.keySet());
      edit(
          pool.id().name(),
          spec ->
              spec.withRepair(spec.repair().withSuspects(new ReleasedSuspects(until, "")))
                  .withPause(spec.pause().withReleased(hold.orElse(""))));
      String said = Published.text(pool);
      if (!until.isEmpty() && RELEASABLE.stream().anyMatch(said::contains)) {
        deeds.released.get(pool.id().name()).add(Deeds.ALL);
        edit(pool.id().name(), spec -> spec.withRepair(spec.repair().withLimits(released(spec))));
      }
    }
  }

  private PoolSpec.RepairBrakes released(PoolSpec spec) {
    return spec.repair().limits().withReleased(Optional.of(world.instant())).withMisread("");
  }

  /** A fault can only be repaired once nothing is in the way that people put there. */
  private void changeBack() {
    if (run.isChanged()) {
      catalogue(AlertCatalogue.shipped());
      cluster.fleetOwner().offer(cluster.offer().withCapabilities(FleetOffer.Capabilities.ALL));
      if (run.fleet() == LiarRun.Fleet.CANNOT) {
        offerVerification(false);
      }
      cluster
          .pools()
          .keySet()
          .forEach(pool ->
              edit(
                  pool,
                  spec ->
                      spec.withPause(PoolSpec.Pause.NONE)
                          .withRepair(PoolSpec.RepairPolicy.DEFAULTS)));
    }
  }

  /** Whether a Host serves a pool. */
  static boolean serves(Host host, Pool pool) {
    return host.assignment().map(Assignment::pool).filter(pool.id()::equals).isPresent();
  }
}
