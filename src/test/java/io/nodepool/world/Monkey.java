package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldNodeClients;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Takes random actions on a world, by seed, and then removes their causes so that the world
 * recovers.
 */
final class Monkey {
  /** The kinds of actions. */
  enum Prank {
    TARGET,
    STRATEGY,
    METADATA,
    DELETE_POOL,
    ORPHAN,
    PODS,
    GUARDED_POD,
    VOLUME,
    REQUEST,
    CORDON,
    DELETE_NODE,
    SILENCE,
    CHURN,
    HAND_OVER,
    RESTART,
    OUTAGE,
    STALL,
    TURN_AWAY,
    SET_ASIDE,
    LOSE_OFFER,
    KEEP_NODE,
    TRIP,
    FAIL,
    CLEAN,
    TENANCY_AHEAD,
    DELETE_HOST,
    REPLACE_HOST,
    GARBLE,
    MEDDLE,
    BIND_TO_MARKED,
    TIME_OUTS,
    RECLAIM,
    RECLAIM_ALL,
    RECLAIM_WHEN_SHRINKING,
    WITHDRAW,
    REBOOT,
    REBOOT_NOW,
    REBOOT_FOR_A_WHILE,
    REBOOT_NOW_FOR_A_WHILE,
    POLICY_ALONE,
    FLEET_FAULTS,
    RELEASE,
    ALERT,
    FALSE_ALARM,
    UNHEALTHY_EVICTION,
    PROMOTE,
    ROLL_BACK,
    ROLLOUT_START,
    ROLLOUT_STOP,
    ROLLOUT_SETTINGS,
    UPDATE_STRATEGY,
    ROLL_OUT,
    LOSE_STATUS,
    OLDER_STATUS,
    LOSE_RECORD,
    LOSE_NODE_RECORD,
    COPY_BOTH,
    SET_CLOCK
  }

  /** All that clients did before they removed, replaced or copied records of the operator. */
  private static final List<Prank> WITHOUT_LOSSES =
      List.copyOf(EnumSet.range(Prank.TARGET, Prank.ROLL_OUT));

  private static final List<String> POOLS = List.of("a", "b", "c");

  /** The one of them whose Nodes may be preempted. */
  private static final String SPOT = "b";

  private static final int PRANKS = 40;

  /**
   * How long the leader's wall clock is wrong at a time. The operator's clock follows it by 1 % of
   * that time at most (decision D85), 0.6 s here, which is less than what the oracles allow it for
   * any reaction. After hours it would rightly do by its own clock what is not due yet by that of
   * fleets and clients, and an operator that starts would read a wrong clock as it is.
   */
  private static final Duration WRONG = Duration.ofMinutes(1);

  private final Drill drill;
  private final World world;
  private final WorldCluster cluster;
  private final long seed;
  private final SplittableRandom random;
  private final WorldScheduler scheduler;
  private final SpotMonkey spot;
  private final RebootMonkey reboots;
  private final RolloutMonkey rollouts;
  private final MonitorMonkey monitor;
  private int names;

  private Monkey(Drill drill, long seed) {
    this.seed = seed;
    this.drill = drill;
    this.world = drill.world;
    this.cluster = world.cluster();
    this.random = drill.random;
    this.spot = new SpotMonkey(drill);
    this.reboots = new RebootMonkey(drill, drill.random);
    this.rollouts = new RolloutMonkey(drill);
    this.monitor = new MonitorMonkey(drill, drill.random);
    this.scheduler = drill.schedule(seed, new WorldScheduler.Lateness(40, Duration.ofMinutes(3)));
  }

  /**
   * Runs one seed; returns the failure, with all that is needed to repeat the run.
   *
   * @param losses whether clients also remove, replace and copy records of the operator, and the
   *     clock of its machine is set
   */
  static Optional<String> failure(
      long seed, boolean losses, OperatorOverrides overrides, Census census) {
    SplittableRandom random = new SplittableRandom(seed);
    Faults faults =
        switch ((int) (seed % 3)) {
          case 0 -> Faults.NONE;
          case 1 -> Faults.LATE;
          default -> Faults.LATE.crashAt(1 + random.nextInt(200), random.nextBoolean());
        };
    Drill drill = Drill.with(seed, dataCentre(), faults, overrides).traced();
    List<Prank> done = new ArrayList<>();
    String name = losses ? PlayedRun.ROUGH_WORLD_WITH_LOSSES : PlayedRun.ROUGH_WORLD;
    String run = new PlayedRun(name, seed, faults).toString();
    try {
      new Monkey(drill, seed).play(losses ? List.of(Prank.values()) : WITHOUT_LOSSES, done);
      drill.toRest();
    } catch (IllegalStateException broken) {
      return Optional.of(
          "%s, step %d, after %s: %s"
              .formatted(run, drill.world.steps(), done, broken.getMessage()));
    } finally {
      census.add(drill.world.situations());
    }
    return atTarget(drill)
        .or(() -> AtRest.complaint(drill))
        .map(complaint -> "%s, after %s: %s".formatted(run, done, complaint));
  }

  private static Optional<String> atTarget(Drill drill) {
    return POOLS.stream()
        .filter(name -> !"TargetMet".equals(drill.pool(name).conditions().get("AtTarget")))
        .findFirst()
        .map(name -> "%s: %s".formatted(name, drill.pool(name).conditions()));
  }

  /** Ten GPU machines and four CPU machines that boot within minutes. */
  private static DataCentre dataCentre() {
    return Drill.dataCentre()
        .withTimings(
            new DataCentre.Timings(
                Duration.ofMinutes(2), Duration.ofMinutes(4), Duration.ofMinutes(1)));
  }

  private void play(List<Prank> pranks, List<Prank> done) {
    if (random.nextBoolean()) {
      world.fleetFaults(FaultyFleetTest.faults(seed, random));
    }
    create("a", PoolSpec.ScaleDownStrategy.IDLE_ONLY, 3);
    create("b", PoolSpec.ScaleDownStrategy.PREFER_IDLE, 4);
    create("c", PoolSpec.ScaleDownStrategy.PREFER_IDLE, 2);
    pass(600);
    for (int i = 0; i < PRANKS; i++) {
      Prank prank = any(pranks);
      done.add(prank);
      play(prank);
      pass(random.nextInt(4) == 0 ? 900 : 40);
    }
    recover();
  }

  private void create(String pool, PoolSpec.ScaleDownStrategy strategy, int target) {
    if (pool.equals(SPOT)) {
      drill.pool(pool).spot(target);
    } else {
      drill.pool(pool).target(pool.equals("c") ? Drill.CPU : Drill.GPU, target);
    }
    drill.pool(pool).strategy(strategy);
  }

  private void pass(int seconds) {
    world.advance(Duration.ofMillis(1 + random.nextInt(seconds * 1_000)));
  }

  private Duration minutes(int atMost) {
    return Duration.ofSeconds(10 + random.nextInt(atMost * 60));
  }

  private <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private String pool() {
    return any(POOLS);
  }

  private Optional<Node> node(Predicate<Node> which) {
    List<Node> nodes = cluster.nodes().values().stream().filter(which).toList();
    return nodes.isEmpty() ? Optional.empty() : Optional.of(any(nodes));
  }

  /** A random Node, preferably one in removal. */
  private Optional<Node> node() {
    return random.nextBoolean()
        ? node(Node::isTerminating).or(() -> node(node -> true))
        : node(node -> true);
  }

  private String host() {
    return any(List.copyOf(cluster.hosts().keySet()));
  }

  private void play(Prank prank) {
    WorldNodeClients clients = cluster.nodeClients();
    WorldActors actors = world.actors();
    switch (prank) {
      case TARGET -> ofPool(pool -> drill.pool(pool).target(random.nextInt(6)));
      case STRATEGY -> ofPool(this::turn);
      case METADATA ->
          ofPool(pool ->
              drill.pool(pool).carrying(random.nextBoolean() ? Scenario.FIRST : Scenario.SECOND));
      case DELETE_POOL -> ofPool(pool -> drill.pool(pool).delete());
      case ORPHAN ->
          ofPool(pool -> {
            drill.pool(pool).delete();
            if (cluster.pool(pool).isPresent()) {
              cluster.stripFinalizer(pool);
            }
          });
      case PODS -> submit();
      case GUARDED_POD ->
          bind()
              .ifPresent(pod -> {
                cluster.workloads().guard(pod.uid());
                if (random.nextInt(4) < 2) {
                  cluster.workloads().guardAgain(pod.uid());
                }
                world.later(minutes(90), () -> cluster.deletePod(pod.uid(), world.instant()));
              });
      case VOLUME ->
          bind()
              .ifPresent(pod -> {
                actors.attach(pod, minutes(60));
                world.later(minutes(20), () -> cluster.deletePod(pod.uid(), world.instant()));
              });
      case REQUEST ->
          node().ifPresent(node -> cluster.nodeClients().metadata(node.name(), this::asked));
      case CORDON -> node().ifPresent(node -> clients.cordon(node.name(), !node.cordoned()));
      case DELETE_NODE -> node().ifPresent(node -> clients.delete(node.name()));
      case SILENCE -> node().ifPresent(node -> actors.silence(node.name(), minutes(30)));
      case CHURN -> actors.churn(node -> true, Duration.ofSeconds(3), minutes(5));
      case HAND_OVER -> {
        ofPool(pool -> drill.pool(pool).target(random.nextInt(6)));
        drill.untilUnderWay();
        world.operators().handOver(minutes(3));
      }
      case RESTART -> {
        world.operators().kill();
        pass(60);
        world.operators().start();
      }
      case OUTAGE -> world.apiOutages().outage(minutes(6));
      case STALL -> world.apiOutages().stall(kind(), minutes(6));
      case TURN_AWAY -> refuse(ApiOutages.Refusal.FORBIDDEN);
      case TIME_OUTS -> refuse(ApiOutages.Refusal.TIME_OUT);
      case SET_ASIDE -> {
        String host = host();
        cluster.fleetOwner().setAside(host, "on loan");
        world.later(minutes(60), () -> cluster.fleetOwner().setAside(host, ""));
      }
      case LOSE_OFFER -> {
        cluster.fleetOwner().loseOffer("its document does not exist");
        world.later(minutes(20), () -> cluster.fleetOwner().offer(cluster.offer()));
      }
      case KEEP_NODE ->
          node()
              .ifPresent(node -> {
                clients.keep(node.name());
                world.later(minutes(20), () -> clients.letGo(node.name()));
              });
      case TRIP -> actors.trip(host(), minutes(30));
      case FAIL -> actors.fail(host(), minutes(30));
      case CLEAN -> actors.clean(host(), minutes(30));
      case TENANCY_AHEAD -> actors.reportAhead(host(), minutes(30));
      case DELETE_HOST ->
          held()
              .ifPresent(host -> {
                cluster.fleetOwner().delete(host.id().name());
                world.later(minutes(10), () -> cluster.fleetOwner().restore(host, world.instant()));
              });
      case REPLACE_HOST -> {
        // Without its watch of Nodes the operator cannot know that the name still has a Node.
        if (!world.apiOutages().isStalled(WorldCluster.Kind.NODES)) {
          cluster.fleetOwner().replace(host(), world.instant());
        }
      }
      case GARBLE -> garble();
      case MEDDLE ->
          actors.meddle(
              any(List.of(WorldActors.Meddling.values())),
              Duration.ofSeconds(random.nextInt(8)),
              minutes(20));
      case BIND_TO_MARKED ->
          actors.bindToAdmitted(Duration.ofSeconds(5), Duration.ofSeconds(20), minutes(20));
      case RECLAIM -> spot.reclaimOne();
      case RECLAIM_ALL -> spot.reclaimAll();
      case RECLAIM_WHEN_SHRINKING -> {
        if (cluster.pool(SPOT).filter(seen -> !seen.isTerminating()).isPresent()) {
          drill.pool(SPOT).spot(random.nextInt(2));
          pass(6);
        }
        spot.reclaimOne();
      }
      case WITHDRAW -> spot.reclaimForAWhile();
      case REBOOT -> reboots.request();
      case REBOOT_NOW -> reboots.requestNow();
      case REBOOT_FOR_A_WHILE -> reboots.requestForAWhile();
      case REBOOT_NOW_FOR_A_WHILE -> reboots.requestNowForAWhile();
      case POLICY_ALONE -> reboots.policyAlone();
      case FLEET_FAULTS -> {
        world.fleetFaults(FaultyFleetTest.faults(seed, random));
        world.later(minutes(180), () -> world.fleetFaults(FleetFaults.NONE));
      }
      case RELEASE -> rollouts.release();
      case ALERT -> monitor.alert();
      case FALSE_ALARM -> monitor.falseAlarm();
      case UNHEALTHY_EVICTION -> ofPool(monitor::turn);
      case PROMOTE -> rollouts.promote();
      case ROLL_BACK -> rollouts.rollback();
      case ROLLOUT_START -> rollouts.start();
      case ROLLOUT_STOP -> rollouts.stop();
      case ROLLOUT_SETTINGS -> rollouts.settings();
      case UPDATE_STRATEGY -> rollouts.strategy();
      case ROLL_OUT -> rollouts.rollOut();
      case LOSE_STATUS -> rollouts.loseStatus();
      case OLDER_STATUS -> rollouts.olderStatus();
      case LOSE_RECORD -> rollouts.loseRecord();
      case LOSE_NODE_RECORD ->
          node(node -> node.disruption().isPresent())
              .ifPresent(node -> clients.stripRemoval(node.name()));
      case COPY_BOTH -> rollouts.copyBoth();
      case SET_CLOCK -> {
        Duration by = Duration.ofSeconds(random.nextInt(-3600, 3601));
        world.later(minutes(5), () -> world.wallClock().stray(by, WRONG));
      }
    }
  }

  private void ofPool(java.util.function.Consumer<String> what) {
    String pool = pool();
    if (cluster.pool(pool).filter(seen -> !seen.isTerminating()).isPresent()) {
      what.accept(pool);
    } else if (cluster.pool(pool).isEmpty()) {
      create(pool, PoolSpec.ScaleDownStrategy.PREFER_IDLE, 2);
    }
  }

  private void turn(String pool) {
    PoolSpec.ScaleDownStrategy now = drill.pool(pool).seen().spec().lifecycle().scaleDownStrategy();
    drill
        .pool(pool)
        .strategy(
            now == PoolSpec.ScaleDownStrategy.IDLE_ONLY
                ? PoolSpec.ScaleDownStrategy.PREFER_IDLE
                : PoolSpec.ScaleDownStrategy.IDLE_ONLY);
  }

  private void submit() {
    for (int pod = 1 + random.nextInt(6); pod > 0; pod--) {
      String name = "job-" + names++;
      Duration work = minutes(5);
      world.later(Duration.ofSeconds(random.nextInt(60)), () -> scheduler.submit(name, work));
    }
  }

  private Optional<Pod> bind() {
    return node()
        .map(node -> cluster.bindPod("default", "work-" + names++, node.name(), "ReplicaSet"));
  }

  private Optional<Host> held() {
    List<Host> held =
        cluster.hosts().values().stream().filter(host -> host.assignment().isPresent()).toList();
    return held.isEmpty() ? Optional.empty() : Optional.of(any(held));
  }

  private NodeMetadata asked(NodeMetadata metadata) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.merge(
        NodeLabels.REMOVE_NODE.key(), "true", (was, asked) -> was.equals(asked) ? "false" : asked);
    return metadata.withLabels(labels);
  }

  private void refuse(ApiOutages.Refusal refusal) {
    List<Predicate<Action>> kinds =
        List.of(
            action -> isWrite(action, purpose -> purpose == NodePurpose.REPORT_ACTIVITY),
            action -> isWrite(action, Monkey::isRecord),
            action -> isWrite(action, purpose -> purpose == NodePurpose.COMMIT),
            Action.DeleteNode.class::isInstance,
            Action.PublishStatus.class::isInstance,
            Action.OnHost.class::isInstance,
            Action.EvictPod.class::isInstance);
    world.apiOutages().refuse(any(kinds), refusal, minutes(10));
  }

  private static boolean isWrite(Action action, Predicate<NodePurpose> purpose) {
    return action instanceof Action.WriteNode write && purpose.test(write.purpose());
  }

  private static boolean isRecord(NodePurpose purpose) {
    return purpose.isOfDisruption() && purpose != NodePurpose.COMMIT;
  }

  private WorldCluster.Kind kind() {
    return any(List.of(WorldCluster.Kind.values()));
  }

  private void garble() {
    WorldCluster.Kind kind =
        any(List.of(WorldCluster.Kind.POOLS, WorldCluster.Kind.HOSTS, WorldCluster.Kind.NODES));
    String name =
        kind == WorldCluster.Kind.POOLS ? pool() : node().map(Node::name).orElseGet(this::host);
    cluster.garble(kind, name, true);
    world.later(minutes(30), () -> cluster.garble(kind, name, false));
  }

  /** Stops the clients and undoes their changes; the pools must recover. */
  private void recover() {
    world.advance(Duration.ofHours(3));
    world.fleetFaults(FleetFaults.NONE);
    scheduler.stop();
    cluster.workloads().allowAll();
    spot.withdrawAll();
    monitor.withdrawAll();
    reboots.repair();
    rollouts.repair();
    List.copyOf(cluster.pods().keySet()).forEach(uid -> cluster.deletePod(uid, world.instant()));
    for (String name : POOLS) {
      if (cluster.pool(name).isEmpty()) {
        create(name, PoolSpec.ScaleDownStrategy.PREFER_IDLE, 1);
      }
    }
    world.advance(Duration.ofHours(1));
    reboots.repair();
    rollouts.repair();
    for (String name : POOLS) {
      cluster
          .pool(name)
          .ifPresentOrElse(
              pool -> {}, () -> create(name, PoolSpec.ScaleDownStrategy.PREFER_IDLE, 1));
      drill.pool(name).target(name.equals("c") ? 2 : 3);
    }
    List.copyOf(cluster.nodes().values()).stream()
        .filter(Node::cordoned)
        .filter(node -> !node.isTerminating())
        .forEach(node -> cluster.nodeClients().cordon(node.name(), false));
  }
}
