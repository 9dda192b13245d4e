package io.nodepool.world;

import io.nodepool.control.LoopSettings;
import io.nodepool.control.write.BackOff;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.Summary;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.world.check.Checks;
import io.nodepool.world.check.cost.PlanCost;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A fluent interface to run a scenario in the virtual world: {@code pool("a").target(4); advance(7,
 * MINUTES);}.
 */
final class Drill {
  static final String GPU = "gd-8xh100ib-i128";
  static final String CPU = "turin-gp";
  private static final InstanceCatalogue CATALOGUE = InstanceCatalogue.bundled();

  /** From a fleet's notice to the instant at which it takes the machine. */
  static final Duration RECLAIM_WINDOW = Duration.ofMinutes(7);

  /** Counts are audited after every one of so many steps. */
  private static final int AUDITED = 20;

  final World world;

  /** The random numbers of clients' actions; the world has its own. */
  final SplittableRandom random;

  /** The instants of each preempted Node's drain as last recorded, by its name. */
  final SortedMap<String, String> instants = new TreeMap<>();

  private final Checks checks;

  private Drill(World world, Checks checks, long seed) {
    this.world = world;
    this.checks = checks;
    this.random = new SplittableRandom(~seed);
    world.cluster().validate(CrdValidation.ALL);
    world.cluster().watch(WorldCluster.Kind.NODES, this::noteInstants);
    world.operators().start();
  }

  private void noteInstants(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node node)
        && node.disruption().orElse(null) instanceof Disruption.Committed committed
        && committed.isLeaving()) {
      committed
          .limits()
          .stopAt()
          .ifPresent(stop ->
              instants.put(node.name(), "force %s, stop %s".formatted(committed.forceAt(), stop)));
    }
  }

  static Drill calm(long seed) {
    return with(seed, Faults.NONE, OperatorOverrides.AS_BUILT);
  }

  static Drill with(long seed, Faults faults, OperatorOverrides overrides) {
    return with(seed, dataCentre(), faults, overrides);
  }

  static Drill with(long seed, DataCentre dataCentre, Faults faults, OperatorOverrides overrides) {
    World world =
        new World(dataCentre, CATALOGUE, seed, faults, timings(seed), PlanCost.checking(overrides));
    return new Drill(world, Checks.watch(world, timings(seed), faults, AUDITED), seed);
  }

  /**
   * Every third run plans and reports without pauses, so that rate limits cannot hide an order of
   * steps.
   */
  private static LoopSettings timings(long seed) {
    return seed % 3 == 0
        ? new LoopSettings(
            Duration.ZERO, Duration.ZERO, new BackOff(Duration.ofMillis(10), Duration.ofSeconds(5)))
        : LoopSettings.DEFAULTS;
  }

  /** Names of the machines of a type in the order in which they are assigned. */
  static List<String> machines(String type) {
    return dataCentre().slots(CATALOGUE).stream()
        .filter(slot -> slot.machine().instanceType().equals(type))
        .map(DataCentre.Slot::host)
        .toList();
  }

  /** Names of all machines of a data centre, in the order in which they are assigned. */
  static List<String> names(DataCentre dataCentre) {
    return dataCentre.slots(CATALOGUE).stream().map(DataCentre.Slot::host).toList();
  }

  /** Racks of one type, with these machines each; boots take twenty to thirty minutes. */
  static DataCentre racks(String type, int racks, int machines) {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "example-org"),
        7,
        IntStream.rangeClosed(1, racks)
            .mapToObj(rack -> new DataCentre.Rack(String.valueOf(rack), type, machines))
            .toList(),
        new DataCentre.Terms(
            new TreeMap<>(Map.of(type, racks * machines)),
            new TreeSet<>(),
            List.of(FleetRelease.whole("ncore-2.10.1", List.of("ncore-2.10.1"))),
            new TreeMap<>()),
        new DataCentre.Timings(
            Duration.ofMinutes(20), Duration.ofMinutes(30), Duration.ofMinutes(5)),
        DataCentre.Mishaps.NONE);
  }

  /** Ten GPU machines in two racks and four CPU machines; boots take twenty to thirty minutes. */
  static DataCentre dataCentre() {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "example-org"),
        7,
        List.of(
            new DataCentre.Rack("101", GPU, 5),
            new DataCentre.Rack("102", GPU, 5),
            new DataCentre.Rack("201", CPU, 4)),
        new DataCentre.Terms(
            new TreeMap<>(Map.of(GPU, 10, CPU, 4)),
            new TreeSet<>(),
            List.of(FleetRelease.whole("ncore-2.10.1", List.of("ncore 2.10.1"))),
            new TreeMap<>()),
        new DataCentre.Timings(
            Duration.ofMinutes(20), Duration.ofMinutes(30), Duration.ofMinutes(5)),
        DataCentre.Mishaps.NONE);
  }

  /**
   * Starts a scheduler that places Pods, and delays some of its bindings; the Pods that it binds in
   * time are protected from harm.
   */
  WorldScheduler schedule(long seed, WorldScheduler.Lateness lateness) {
    WorldScheduler scheduler = world.schedule(seed, lateness);
    checks.protect(scheduler::boundInTime);
    return scheduler;
  }

  /** Violations of the request budget, such as repeats without growing waits. */
  List<String> complaints() {
    return checks.complaints();
  }

  Drill advance(long amount, ChronoUnit unit) {
    world.advance(Duration.of(amount, unit));
    return this;
  }

  /** Prints what takes effect from now on, if {@code -Dworld.trace=true} asks for it. */
  Drill traced() {
    if (Boolean.getBoolean("world.trace")) {
      world.trace(System.out::println);
    }
    return this;
  }

  /**
   * Advances time until the run is at rest; faults end, so this ends too. The longest wait is the
   * day after which a Node that is still pending is an alert.
   */
  Drill toRest() {
    for (int i = 0; i < 400 && (i < 8 || !world.isAtRest()); i++) {
      world.advance(Duration.ofMinutes(5));
    }
    if (!world.isAtRest()) {
      throw new IllegalStateException("not at rest after hours; due: " + world.operators().due());
    }
    return this;
  }

  /** Advances time until requests are under way, or for one second. */
  Drill untilUnderWay() {
    for (int i = 0; i < 500 && world.operators().underWay() == 0; i++) {
      world.advance(Duration.ofMillis(2));
    }
    return this;
  }

  PoolDrill pool(String name) {
    return new PoolDrill(name);
  }

  /** The fleet announces that it wants this machine back at the end of the longest window. */
  Drill reclaim(String host) {
    return reclaim(host, RECLAIM_WINDOW);
  }

  /** The fleet announces that it wants this machine back at the end of this window. */
  Drill reclaim(String host, Duration window) {
    world.cluster().fleetOwner().reclaim(host, window, world.instant());
    return this;
  }

  /** The fleet withdraws its notice about this machine. */
  Drill withdraw(String host) {
    world.cluster().fleetOwner().withdrawReclaim(host);
    return this;
  }

  /** One pool of the scenario. */
  final class PoolDrill {
    private final String name;

    private PoolDrill(String name) {
      this.name = name;
    }

    /** Creates the pool, of the GPU type, or sets its target. */
    Drill target(int target) {
      return target(GPU, target);
    }

    Drill target(String type, int target) {
      if (world.cluster().pool(name).isEmpty()) {
        world.cluster().createPool(name, Fixtures.spec(type, target), world.instant());
      } else {
        edit(spec -> Fixtures.withTarget(spec, target));
      }
      return Drill.this;
    }

    /** Creates the pool as a spot pool, or sets its target. */
    Drill spot(int target) {
      if (world.cluster().pool(name).isEmpty()) {
        PoolSpec spec = Fixtures.spec(GPU, target);
        world
            .cluster()
            .createPool(
                name, spec.withMachines(spec.machines().withComputeClass("spot")), world.instant());
      } else {
        edit(spec -> Fixtures.withTarget(spec, target));
      }
      return Drill.this;
    }

    /** Sets the Node metadata of the spec. */
    Drill carrying(NodeTemplate template) {
      return edit(spec -> spec.withNode(template));
    }

    /** Sets the scale-down strategy. */
    Drill strategy(PoolSpec.ScaleDownStrategy strategy) {
      return edit(spec -> spec.withLifecycle(spec.lifecycle().withScaleDownStrategy(strategy)));
    }

    /** Binds a tenant's Pod to each of its Nodes. */
    Drill busy() {
      nodes()
          .forEach(node ->
              world.cluster().bindPod("default", "work-" + node.name(), node.name(), "ReplicaSet"));
      return Drill.this;
    }

    /** Changes the metadata of all its Nodes, as another client. */
    Drill everyNode(UnaryOperator<NodeMetadata> edit) {
      nodes().forEach(node -> world.cluster().nodeClients().metadata(node.name(), edit));
      return Drill.this;
    }

    /** Creates the pool, or sets its target in racks. */
    Drill racks(String type, int racks) {
      if (world.cluster().pool(name).isEmpty()) {
        world.cluster().createPool(name, inRacks(Fixtures.spec(type, 0), racks), world.instant());
      } else {
        edit(spec -> inRacks(spec, racks));
      }
      return Drill.this;
    }

    Drill edit(UnaryOperator<PoolSpec> edit) {
      world.cluster().editPool(name, edit);
      return Drill.this;
    }

    Drill delete() {
      world.cluster().deletePool(name, world.instant());
      return Drill.this;
    }

    Pool seen() {
      return world.cluster().pool(name).orElseThrow();
    }

    /** Reasons of its conditions, as {@code kubectl get} prints them. */
    Map<String, String> conditions() {
      return seen().status().conditions().entrySet().stream()
          .collect(
              Collectors.toMap(
                  entry -> entry.getKey().type(), entry -> entry.getValue().reason().word()));
    }

    /** What matters most, as the column STATUS says. */
    SummaryReason look() {
      return seen().status().summary().map(Summary::reason).orElseThrow();
    }

    String message(PoolCondition type) {
      return seen().status().condition(type).map(Condition::message).orElseThrow();
    }

    List<Host> hosts() {
      return world.cluster().hosts().values().stream()
          .filter(host -> host.isHeldBy(seen().id().uid()))
          .toList();
    }

    List<Node> nodes() {
      return world.cluster().nodes().values().stream()
          .filter(node -> node.poolUid().equals(seen().id().uid()))
          .toList();
    }
  }

  /** The sum of the counts of all Events of this reason. */
  int emitted(EventReason reason) {
    return events(reason).mapToInt(event -> event.eventDraft().count()).sum();
  }

  Stream<WorldCluster.EventRecord> events(EventReason reason) {
    return world.cluster().events().values().stream()
        .filter(event -> event.eventDraft().reason() == reason);
  }

  /** The Events of a Node's preemption, in order, with the number of attempts to write each. */
  List<String> preemptionEvents(String nodeUid) {
    return Stream.of(
            EventReason.PREEMPTION_PENDING,
            EventReason.PREEMPTION_IN_PROGRESS,
            EventReason.DELETED_FOR_PREEMPTION)
        .flatMap(this::events)
        .filter(event -> event.eventDraft().regarding().uid().equals(nodeUid))
        .map(event -> event.eventDraft().reason().word() + " " + event.writes())
        .toList();
  }

  /** The outcome in which two runs of one scenario must agree. */
  SortedMap<String, String> outcome() {
    return Outcome.of(this, Agreement.NUMBERS);
  }

  /** A template of these labels, annotations and taints. */
  static NodeTemplate template(
      Map<String, String> labels, Map<String, String> annotations, Taint... taints) {
    return new NodeTemplate(new TreeMap<>(labels), new TreeMap<>(annotations), List.of(taints));
  }

  private static PoolSpec inRacks(PoolSpec spec, int racks) {
    return spec.withSize(
        spec.size().withTargetNodes(OptionalInt.empty()).withTargetRacks(OptionalInt.of(racks)));
  }
}
