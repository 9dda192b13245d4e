package io.nodepool.whatif;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.PodBudget;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolSpec.ScaleDownStrategy;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.plan.Action;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A generated cluster in the midst of what happens to it, and a question about it. The same seed
 * gives the same cluster at the same step.
 */
final class Story {
  static final String TYPE = "gd-8xh100ib-i128";
  private static final String RACK_TYPE = "gb200-4x";
  private static final int RACK = 6;
  private static final int RACK_OF_RACKS = 18;
  private static final Duration GROWS = Duration.ofHours(2);

  /** For an alert for which a machine is reset when its Node is idle. */
  private static final String CONDITION = "GpuXid155";

  private static final String ALERTS = "alerts: {KernelDeadlock: {grade: manual}}\n";

  final World world;
  final Question question;

  private final long seed;

  /** The budgets of the Pods. */
  private final List<PodBudget> budgets = new ArrayList<>();

  /** The document of the user's changes of the alerts; empty without any. */
  private final Optional<String> alerts;

  private final List<AskedChange> clients = new ArrayList<>();
  private final SplittableRandom random;

  /** Of how long a monitor takes to see a boot. */
  private SplittableRandom delays;

  /** Whether the pools are sized in racks. */
  private final boolean inRacks;

  private final WorldCluster cluster;

  /**
   * Plays a cluster up to its step.
   *
   * @param fork of the order of steps, and of how long machines and monitors take, from there on
   * @param overrides the operator of this cluster, unlike the one of forecasts
   */
  Story(long seed, int fork, OperatorOverrides overrides) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.delays = random;
    this.alerts = seed % 4 == 0 ? Optional.of(ALERTS) : Optional.empty();
    this.inRacks = random.nextInt(6) == 0;
    this.world = OpenWorld.unwatched(seed, dataCentre(), overrides);
    this.cluster = world.cluster();
    alerts.ifPresent(this::changeAlerts);
    monitor();
    create("a", false);
    if (random.nextInt(3) > 0) {
      create("b", random.nextBoolean());
    }
    world.advance(GROWS);
    work();
    world.advance(Duration.ofSeconds(2));
    if (random.nextInt(3) == 0) {
      cluster.fleetOwner().publish(FleetRelease.whole("ncore-2.11.0", List.of("ncore-2.11.0")));
      world.advance(Duration.ofSeconds(2 + random.nextInt(900)));
    }
    for (int i = random.nextInt(5); i > 0; i--) {
      disturb();
      world.advance(Duration.ofSeconds(2 + random.nextInt(900)));
    }
    if (seed % 3 == 1 && !nodes().isEmpty()) {
      cluster.nodeClients().observe(nodes().get((int) (seed % nodes().size())).name(), CONDITION);
      confirm();
      world.advance(Duration.ofMinutes(seed % 20));
    }
    // What other clients go on to do is not to be known.
    clients.forEach(AskedChange::giveUp);
    this.question = question();
    OpenWorld.fork(world, fork);
    for (int i = 0; i < fork; i++) {
      delays = random.split();
    }
  }

  /** What a client that may list everything reads at the step, from text. */
  ListedObjects listed() {
    String text = ListedText.of(cluster, budgets, alerts, this::requestTimes);
    ListedObjects read = ListedObjects.of(new StringReader(text), "seed " + seed);
    RoundTrip.assertSame(cluster, this::requestTimes, budgets, read);
    return read;
  }

  private RequestTimes requestTimes(Node node) {
    Answer<Observation> answer =
        cluster.apply(
            new Action.AskRequestTimes(node.name(), node.uid(), node.version()), world.instant());
    return ((Observation.RequestTimed) ((Answer.Done<Observation>) answer).object()).times();
  }

  private DataCentre dataCentre() {
    int racks = 2 + random.nextInt(3);
    int hosts = inRacks ? RACK_OF_RACKS : RACK;
    String type = inRacks ? RACK_TYPE : TYPE;
    int boot = 5 + random.nextInt(20);
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "example-org"),
        random.nextLong(),
        IntStream.rangeClosed(1, racks)
            .mapToObj(rack -> new DataCentre.Rack(String.valueOf(rack), type, hosts))
            .toList(),
        new DataCentre.Terms(
            new TreeMap<>(),
            new TreeSet<>(),
            List.of(FleetRelease.whole("ncore-2.10.1", List.of("ncore-2.10.1"))),
            new TreeMap<>()),
        new DataCentre.Timings(
                Duration.ofMinutes(boot), Duration.ofMinutes(boot * 2L), Duration.ofMinutes(5))
            .withReboot(Duration.ofMinutes(2 + random.nextInt(8)))
            .withVerification(Duration.ofMinutes(5 + random.nextInt(10))),
        DataCentre.Mishaps.NONE);
  }

  private void changeAlerts(String document) {
    cluster.fleetOwner().alerts(AlertCatalogue.shipped().changedBy(AlertsDocument.KEY, document));
  }

  private void create(String name, boolean spot) {
    PoolSpec spec =
        inRacks
            ? AskedChange.sized(racks(Fixtures.spec(RACK_TYPE, 0)), 1)
            : Fixtures.spec(TYPE, 2 + random.nextInt(9));
    List<UpdateStrategy> strategies = List.of(UpdateStrategy.values());
    spec =
        spec.withConfiguration(
            spec.configuration()
                .withStrategy(strategies.get(random.nextInt(strategies.size())))
                .withRollout(
                    spec.configuration()
                        .rollout()
                        .withMaxUnavailable(new RolloutSettings.Limit(1 + random.nextInt(3), 0))
                        .withEvict(random.nextInt(4) == 0)));
    if (spot && !inRacks) {
      spec = spec.withMachines(spec.machines().withComputeClass("spot"));
    }
    if (random.nextBoolean()) {
      spec =
          spec.withLifecycle(spec.lifecycle().withScaleDownStrategy(ScaleDownStrategy.PREFER_IDLE));
    }
    cluster.createPool(name, spec, world.instant());
  }

  private static PoolSpec racks(PoolSpec spec) {
    return spec.withSize(
        spec.size().withTargetNodes(OptionalInt.empty()).withTargetRacks(OptionalInt.of(1)));
  }

  private void work() {
    int busy = random.nextInt(101);
    Set<String> free = new TreeSet<>();
    List<Pod.Interruption> kinds = List.of(Pod.Interruption.values());
    nodes().stream().filter(_ -> random.nextInt(4) == 0).forEach(this::agent);
    nodes()
        .forEach(node -> {
          if (random.nextInt(100) < busy) {
            Pod.Interruption kind =
                random.nextInt(4) > 0
                    ? Pod.Interruption.NONE
                    : kinds.get(random.nextInt(kinds.size()));
            Pod pod =
                cluster
                    .workloads()
                    .bind("default", "work-" + node.name(), node.name(), owner(kind), kind, false);
            if (random.nextInt(6) == 0) {
              protect(new PodBudget("default/guard-" + node.name(), Set.of(pod.uid()), 0));
            } else {
              free.add(pod.uid());
            }
          }
        });
    if (free.size() > 1 && random.nextInt(3) == 0) {
      protect(new PodBudget("default/some", free, 1 + random.nextInt(2)));
    }
  }

  /** Only what belongs to a NodeSet stands by. */
  private static String owner(Pod.Interruption kind) {
    return kind == Pod.Interruption.STANDBY ? "NodeSet" : "Job";
  }

  private void protect(PodBudget budget) {
    cluster.workloads().protect(budget);
    budgets.add(budget);
  }

  private void agent(Node node) {
    cluster
        .workloads()
        .bind(
            "default",
            "agent-" + node.name(),
            node.name(),
            "DaemonSet",
            Pod.Interruption.NONE,
            false);
  }

  private List<Node> nodes() {
    return new ArrayList<>(cluster.nodes().values());
  }

  private Node node() {
    return nodes().get(random.nextInt(nodes().size()));
  }

  private Pool pool() {
    List<Pool> pools = List.copyOf(cluster.pools().values());
    return pools.get(random.nextInt(pools.size()));
  }

  /** Something happens, which need not be over at the step. */
  private void disturb() {
    Question change = change();
    // When a machine that is lost comes back is not to be known.
    AskedChange client = new AskedChange(world);
    client.ask(
        change instanceof Question.Lost(List<String> hosts, var _)
            ? new Question.Lost(hosts, Duration.ofDays(2))
            : change);
    clients.add(client);
  }

  /** Monitors see that a boot, or another machine, ends what they report. */
  private void monitor() {
    Map<String, String> boots = new HashMap<>();
    cluster.watch(
        WorldCluster.Kind.HOSTS,
        seen -> {
          if (seen instanceof Observation.HostSeen(Host host)) {
            String boot = host.report().bootId();
            String last = boots.put(host.id().name(), boot);
            if (last != null && !boot.equals(last) && !boot.isEmpty()) {
              Instant booted = world.instant();
              world.later(
                  Duration.ofSeconds(delays.nextInt(30)),
                  () -> {
                    String name = host.id().name();
                    cluster.signals().about(name).stream()
                        .filter(signal -> signal.since().isBefore(booted))
                        .forEach(signal -> cluster.signals().withdraw(name, signal.key()));
                    cluster.nodeClients().takeBack(name, booted);
                  });
            }
          }
        });
  }

  /** Monitors on Nodes confirm the conditions that they set. */
  private void confirm() {
    nodes().forEach(node -> cluster.nodeClients().confirm(node.name(), Duration.ofMinutes(30)));
    world.later(Duration.ofMinutes(5), this::confirm);
  }

  private Question question() {
    return change();
  }

  private Question change() {
    List<LifecycleState> reboots =
        List.of(LifecycleState.REBOOT, LifecycleState.POWER_RESET, LifecycleState.RECONFIGURE);
    List<Supplier<Question>> all =
        List.of(
            this::scale,
            this::scale,
            () -> new Question.Cordon(List.of(node().name())),
            () -> new Question.DrainOfNodes(List.of(node().name())),
            () ->
                new Question.Reboot(
                    List.of(node().name()),
                    reboots.get(random.nextInt(reboots.size())),
                    random.nextBoolean()),
            () ->
                new Question.Lost(
                    List.of(node().name()), Duration.ofMinutes(1 + random.nextInt(600))),
            () ->
                new Question.OtherQuota(
                    inRacks ? RACK_TYPE : TYPE, random.nextInt(inRacks ? 60 : 20)),
            () -> new Question.Upgrade(pool().id().name()),
            this::rollout,
            this::rollout,
            this::apply,
            () -> new Question.Preempt(List.of(node().name())),
            () ->
                new Question.TrueAlert(
                    node().name(), random.nextBoolean() ? "KernelDeadlock" : "GPUFallenOffBus"));
    return nodes().isEmpty() ? scale() : all.get(random.nextInt(all.size())).get();
  }

  private Question scale() {
    return new Question.Scale(pool().id().name(), random.nextInt(inRacks ? 4 : 14));
  }

  private Question rollout() {
    Pool pool = pool();
    return new Question.RolloutStart(pool.id().name(), pool.spec().configuration().rollout());
  }

  /** A manifest with another strategy, and perhaps another size. */
  private Question apply() {
    Pool pool = pool();
    PoolSpec spec = pool.spec();
    PoolSpec next =
        spec.withLifecycle(
            spec.lifecycle()
                .withScaleDownStrategy(
                    random.nextBoolean()
                        ? ScaleDownStrategy.PREFER_IDLE
                        : ScaleDownStrategy.IDLE_ONLY));
    return new Question.Apply(
        List.of(
            new Question.Wanted(
                pool.id().name(),
                random.nextBoolean()
                    ? next
                    : AskedChange.sized(next, random.nextInt(inRacks ? 3 : 10)))));
  }

  /** What happens after the question was carried out, until nothing happens for a while. */
  Outcome outcome(Duration horizon) {
    Instant begin = world.instant();
    List<Happening> noted = new ArrayList<>();
    new Happenings(world, noted::add);
    new AskedChange(world).ask(question);
    while (world.instant().isBefore(begin.plus(horizon))) {
      world.advance(Duration.ofMinutes(5));
    }
    return new Outcome(noted, Forecast.atEnd(world));
  }

  /** What happened, and how the pools are then. */
  record Outcome(List<Happening> happenings, List<Forecast.PoolAtEnd> pools) {}
}
