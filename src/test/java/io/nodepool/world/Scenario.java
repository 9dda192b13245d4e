package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A sequence of clients' actions. Run under many seeds and faults, it must always end the same. */
record Scenario(String name, DataCentre dataCentre, Agreement agreement, Consumer<Drill> play) {
  /** Far more steps than a run takes that comes to rest. */
  private static final long MOST_STEPS = 100_000;

  Scenario(String name, Consumer<Drill> play) {
    this(name, Drill.dataCentre(), Agreement.NUMBERS, play);
  }

  /** Returns this scenario with another comparison. */
  Scenario agreeing(Agreement next) {
    return new Scenario(name, dataCentre, next, play);
  }

  /** The outcome of the scenario without faults, and its number of writes. */
  record Undisturbed(SortedMap<String, String> outcome, int writes, long steps) {}

  static Stream<Scenario> all() {
    return Stream.of(
            plain(),
            HardScenarios.all(),
            RaceScenarios.all(),
            SpotScenarios.all(),
            PreemptionScenarios.all(),
            RebootScenarios.all(),
            RolloutScenarios.all(),
            RecordLossScenarios.all(),
            HealthScenarios.all(),
            RepairScenarios.all(),
            BrakeScenarios.all(),
            PowerScenarios.all())
        .flatMap(scenarios -> scenarios);
  }

  /** Scenarios without faults of the cluster and the fleet. */
  private static Stream<Scenario> plain() {
    return Stream.of(
        growth(),
        cancel(),
        delete(),
        controlPlaneWork(),
        metadata(),
        metadataWhileBooting(),
        late(),
        reservation(),
        shrink(),
        drain(),
        takeBack(),
        stripped());
  }

  /** Whether it is only growth, cancellation or deletion. */
  boolean isPlainLifecycle() {
    return Set.of("growth", "cancel", "delete").contains(name);
  }

  static Scenario growth() {
    return new Scenario("growth", drill -> drill.pool("a").target(4));
  }

  /** The target falls after all Hosts are assigned and before the first can have booted. */
  static Scenario cancel() {
    return new Scenario(
        "cancel", drill -> drill.pool("a").target(4).advance(15, MINUTES).pool("a").target(1));
  }

  static Scenario delete() {
    return new Scenario(
        "delete", drill -> drill.pool("a").target(3).advance(90, MINUTES).pool("a").delete());
  }

  /**
   * A tenant's Namespace becomes the control plane's, so that the Pod in it no longer holds its
   * Node.
   */
  static Scenario controlPlaneWork() {
    return new Scenario(
        "control-plane work",
        drill -> {
          WorldCluster cluster = drill.world.cluster();
          cluster.namespaces().create("monitoring");
          drill.pool("a").target(2).advance(90, MINUTES);
          cluster.bindPod(
              "monitoring", "agent", drill.pool("a").nodes().getFirst().name(), "ReplicaSet");
          drill.advance(5, MINUTES).pool("a").delete().advance(5, MINUTES);
          cluster.namespaces().label("monitoring", Optional.of(NamespaceLabels.CONTROL_PLANE));
          cluster.namespaces().create("cw-hpc-verification");
        });
  }

  /** One of the machines never boots and one never joins; others replace them. */
  static Scenario late() {
    List<String> machines = Drill.machines(Drill.GPU);
    DataCentre broken =
        Drill.dataCentre()
            .withMishaps(
                DataCentre.Mishaps.NONE
                    .withNeverBoot(new TreeSet<>(Set.of(machines.get(0))))
                    .withNeverJoin(new TreeSet<>(Set.of(machines.get(1)))));
    return new Scenario("late", broken, Agreement.NUMBERS, drill -> drill.pool("a").target(3));
  }

  /** The metadata of a grown pool changes twice; other clients' metadata on its Nodes stays. */
  static Scenario metadata() {
    return new Scenario(
        "metadata",
        drill ->
            drill
                .pool("a")
                .target(3)
                .advance(90, MINUTES)
                .pool("a")
                .everyNode(Scenario::withForeignFacts)
                .pool("a")
                .carrying(FIRST)
                .advance(5, MINUTES)
                .pool("a")
                .carrying(SECOND));
  }

  /** The metadata changes while all Hosts are assigned and none can have booted. */
  static Scenario metadataWhileBooting() {
    return new Scenario(
        "metadata while booting",
        drill -> drill.pool("a").target(3).advance(15, MINUTES).pool("a").carrying(FIRST));
  }

  /** Two Nodes must move to the control plane; one of them has work that ends later. */
  static Scenario reservation() {
    return new Scenario(
        "reservation",
        drill -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          Pod work =
              drill
                  .world
                  .cluster()
                  .bindPod("default", "train", drill.pool("a").nodes().getFirst().name(), "Job");
          drill
              .advance(5, MINUTES)
              .pool("a")
              .everyNode(metadata -> desired(metadata, Reservation.CONTROL_PLANE))
              .advance(5, MINUTES);
          drill.world.cluster().deletePod(work.uid(), drill.world.instant());
        });
  }

  /** Four Nodes must be removed, one of them busy; it is removed when its work ends. */
  static Scenario shrink() {
    return new Scenario(
        "shrink",
        drill -> {
          drill.pool("a").target(5).advance(90, MINUTES);
          Pod work = workOn(drill, 0);
          workOn(drill, 1);
          drill.advance(5, MINUTES).pool("a").target(1).advance(15, MINUTES);
          drill.world.cluster().deletePod(work.uid(), drill.world.instant());
        });
  }

  /**
   * All Nodes are busy; those in removal are drained, one of them by force, and one has a Pod that
   * does not end.
   */
  static Scenario drain() {
    return new Scenario(
        "drain",
        drill -> {
          drill
              .pool("a")
              .target(3)
              .pool("a")
              .strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE)
              .advance(90, MINUTES);
          WorldPods pods = drill.world.cluster().workloads();
          for (int node = 0; node < 3; node++) {
            pods.guard(workOn(drill, node).uid());
            bind(drill, node, Pod.Interruption.GRACEFUL, false);
            bind(drill, node, Pod.Interruption.AT_ONCE, false);
            pods.keep(bind(drill, node, Pod.Interruption.NONE, true).uid());
          }
          drill.advance(5, MINUTES).pool("a").target(1);
        });
  }

  /** The target falls and immediately rises again. */
  static Scenario takeBack() {
    return new Scenario(
        "take back",
        drill ->
            drill
                .pool("a")
                .target(4)
                .advance(90, MINUTES)
                .pool("a")
                .busy()
                .advance(5, MINUTES)
                .pool("a")
                .target(1)
                .advance(5, MINUTES)
                .pool("a")
                .target(4));
  }

  /** Another client removes the finalizer of a pool that is being deleted. */
  static Scenario stripped() {
    return new Scenario(
        "stripped finalizer",
        drill -> {
          drill.pool("a").target(3).advance(90, MINUTES);
          workOn(drill, 0);
          workOn(drill, 1);
          drill.advance(5, MINUTES).pool("a").delete().advance(10, MINUTES);
          drill.world.cluster().stripFinalizer("a");
        });
  }

  private static Pod workOn(Drill drill, int node) {
    return bind(drill, node, Pod.Interruption.NONE, false);
  }

  private static Pod bind(Drill drill, int node, Pod.Interruption interruption, boolean critical) {
    return drill
        .world
        .cluster()
        .workloads()
        .bind(
            "default",
            "work-%d-%s-%s".formatted(node, interruption, critical),
            drill.pool("a").nodes().get(node).name(),
            "ReplicaSet",
            interruption,
            critical);
  }

  /** Requests that the Node be reserved for this. */
  static NodeMetadata desired(NodeMetadata metadata, String reserved) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.put(NodeLabels.RESERVED_DESIRED.key(), reserved);
    return metadata.withLabels(labels);
  }

  static final NodeTemplate FIRST =
      Drill.template(
          Map.of("team", "a", "stage", "one"),
          Map.of("contact", "team-a"),
          new Taint("dedicated", "a", "NoSchedule"),
          new Taint("trial", "", "NoExecute"));

  /** Of each kind, one entry is added, one changed and one removed. */
  static final NodeTemplate SECOND =
      Drill.template(
          Map.of("team", "b", "cost-centre", "7"),
          Map.of("runbook", "none"),
          new Taint("dedicated", "b", "NoSchedule"),
          new Taint("slow", "", "PreferNoSchedule"));

  /**
   * Adds a label and a taint of another client; the taint precedes those that the operator adds
   * later.
   */
  static NodeMetadata withForeignFacts(NodeMetadata metadata) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.put("another-client", "value");
    List<Taint> taints = new ArrayList<>(metadata.taints());
    taints.add(new Taint("another-client/key", "x", "NoExecute"));
    return metadata.withLabels(labels).withTaints(taints);
  }

  Undisturbed undisturbed() {
    Drill drill = Drill.with(0, dataCentre, Faults.NONE, OperatorOverrides.AS_BUILT);
    play.accept(drill);
    SortedMap<String, String> outcome = Outcome.of(drill.toRest(), agreement);
    Undisturbed undisturbed = new Undisturbed(outcome, drill.world.writes(), drill.world.steps());
    AtRest.complaint(drill)
        .ifPresent(complaint -> {
          throw new IllegalStateException(name + ", undisturbed: " + complaint);
        });
    return undisturbed;
  }

  /** Runs the scenario; returns the failure, with all that is needed to repeat the run. */
  Optional<String> failure(
      long seed, Faults faults, OperatorOverrides overrides, SortedMap<String, String> expected) {
    return failure(seed, faults, overrides, expected, new Census());
  }

  /** Runs the scenario, and counts the situations that occurred. */
  Optional<String> failure(
      long seed,
      Faults faults,
      OperatorOverrides overrides,
      SortedMap<String, String> expected,
      Census census) {
    return verdict(seed, faults, overrides, expected, census, MOST_STEPS).map(Verdict::text);
  }

  /**
   * Runs the scenario; returns the failure with the oracle that found it.
   *
   * @param mostSteps after so many steps the run does not come to rest any more
   */
  Optional<Verdict> verdict(
      long seed,
      Faults faults,
      OperatorOverrides overrides,
      SortedMap<String, String> expected,
      Census census,
      long mostSteps) {
    Drill drill = Drill.with(seed, dataCentre, faults, overrides).traced();
    drill.world.endAfter(mostSteps);
    String run = new PlayedRun(name, seed, faults).toString();
    try {
      play.accept(drill);
      drill.toRest();
    } catch (IllegalStateException | IndexOutOfBoundsException | NoSuchElementException broken) {
      return Optional.of(
          new Verdict(
              Oracle.of(broken),
              "%s, step %d: %s".formatted(run, drill.world.steps(), broken.getMessage())));
    } finally {
      census.add(drill.world.situations());
    }
    return differs(expected, Outcome.of(drill, agreement))
        .or(() -> AtRest.verdict(drill))
        .map(verdict -> verdict.of(run));
  }

  private static Optional<Verdict> differs(
      SortedMap<String, String> expected, SortedMap<String, String> outcome) {
    SortedMap<String, String> difference = Difference.of(expected, outcome);
    if (difference.isEmpty()) {
      return Optional.empty();
    }
    boolean onlyEvents = difference.keySet().stream().allMatch(Outcome::isOfEvents);
    return Optional.of(
        new Verdict(onlyEvents ? Oracle.EVENTS : Oracle.OUTCOME, difference.toString()));
  }

  @Override
  public String toString() {
    return name;
  }
}
