package io.nodepool.world;

import static io.nodepool.world.HardScenarios.idleOnly;
import static io.nodepool.world.HardScenarios.node;
import static io.nodepool.world.HardScenarios.preferIdle;
import static io.nodepool.world.HardScenarios.work;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldNodeClients;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Scenarios with one kind of fault each, temporary or permanent: Nodes that are not removed, phases
 * that were not requested, objects that cannot be read, writes that are refused, changes that are
 * undone. The operator completes all of them without harm to Pods.
 */
final class TroubleScenarios {
  private static final Duration WHILE = Duration.ofMinutes(20);

  private TroubleScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
            nodes(),
            machines(),
            unreadable(),
            refused(),
            undone(),
            Stream.of(stoppedBeforeItsTime()))
        .flatMap(scenarios -> scenarios);
  }

  private static Scenario end(String name, Consumer<Drill> play) {
    return new Scenario(name, play).agreeing(Agreement.END);
  }

  // Nodes that are not removed immediately.

  private static Stream<Scenario> nodes() {
    return Stream.of(finalizer(), finalizerOfAnOrphan(), stalledWatch(), volumesInChurn());
  }

  /** A drained Node waits for a volume and changes all the time. */
  private static Scenario volumesInChurn() {
    return end(
        "volumes in churn",
        drill -> {
          preferIdle(drill, 3);
          drill.world.actors().attach(work(drill, 0, "work"), WHILE);
          HardScenarios.asksFor(drill, 0);
          drill.world.actors().churn(node -> true, Duration.ofSeconds(1), WHILE);
          drill.pool("a").target(2);
        });
  }

  /** A Pod that only live lists return, and whose eviction a budget blocks. */
  private static Scenario stalledWatch() {
    return end(
        "drain without a watch of Pods",
        drill -> {
          preferIdle(drill, 3);
          drill.world.apiOutages().stall(WorldCluster.Kind.PODS, Duration.ofMinutes(10));
          drill.world.cluster().workloads().guard(work(drill, 0, "unseen").uid());
          HardScenarios.asksFor(drill, 0).pool("a").target(2);
        });
  }

  /** Each Node has a finalizer that is removed ten minutes after the Node is drained. */
  private static Scenario finalizer() {
    return new Scenario(
        "finalizer",
        drill -> {
          idleOnly(drill, 3);
          WorldNodeClients clients = drill.world.cluster().nodeClients();
          List<String> names = drill.pool("a").nodes().stream().map(Node::name).toList();
          names.forEach(clients::keep);
          drill.advance(1, MINUTES).pool("a").target(1).advance(10, MINUTES);
          names.forEach(clients::letGo);
        });
  }

  /** The Host is deleted under a Node with a finalizer. */
  private static Scenario finalizerOfAnOrphan() {
    return end(
        "finalizer without a Host",
        drill -> {
          idleOnly(drill, 2);
          String name = node(drill, 0);
          drill.world.cluster().nodeClients().keep(name);
          drill.world.cluster().fleetOwner().delete(name);
          drill.advance(10, MINUTES);
          drill.world.cluster().nodeClients().letGo(name);
        });
  }

  // Phases that were not requested.

  private static Stream<Scenario> machines() {
    return Stream.of(
        struck("power trip of an idle machine", WorldActors::trip, Strike.IDLE),
        struck("power trip of a busy machine", WorldActors::trip, Strike.BUSY),
        struck("power trip in a drain", WorldActors::trip, Strike.DRAINING),
        struck(
            "permanent power trip",
            (actors, host, lasts) -> actors.trip(host, WorldActors.FOR_GOOD),
            Strike.IDLE),
        struck("failed while booting", WorldActors::fail, Strike.BOOTING),
        struck(
            "failed permanently while booting",
            (actors, host, lasts) -> actors.fail(host, WorldActors.FOR_GOOD),
            Strike.BOOTING),
        struck("failed while running", WorldActors::fail, Strike.IDLE),
        struck(
            "failed permanently while running",
            (actors, host, lasts) -> actors.fail(host, WorldActors.FOR_GOOD),
            Strike.IDLE),
        struck("failed while busy", WorldActors::fail, Strike.BUSY),
        struck("cleaned while assigned", WorldActors::clean, Strike.IDLE),
        struck("cleaned while booting", WorldActors::clean, Strike.BOOTING),
        struck("tenancy ahead", WorldActors::reportAhead, Strike.IDLE),
        struck("tenancy ahead while booting", WorldActors::reportAhead, Strike.BOOTING),
        replaced(),
        deletedUnderWork());
  }

  /** A Host is deleted under a Node with new work that the watch has not delivered yet. */
  private static Scenario deletedUnderWork() {
    return end(
        "Host deleted under new work",
        drill -> {
          idleOnly(drill, 3);
          drill.world.apiOutages().stall(WorldCluster.Kind.PODS, Duration.ofMinutes(2));
          var pod = work(drill, 0, "new");
          drill.advance(30, SECONDS);
          drill.world.cluster().fleetOwner().delete(node(drill, 0));
          drill.advance(1, HOURS);
          drill.world.cluster().deletePod(pod.uid(), drill.world.instant());
        });
  }

  private enum Strike {
    BOOTING,
    IDLE,
    BUSY,
    DRAINING
  }

  private interface Struck {
    void by(WorldActors actors, String host, Duration lasts);
  }

  private static Scenario struck(String name, Struck strike, Strike when) {
    return end(
        name,
        drill -> {
          if (when == Strike.BOOTING) {
            drill.pool("a").target(3).advance(10, MINUTES);
          } else {
            preferIdle(drill, 3);
          }
          String host = drill.pool("a").hosts().getFirst().id().name();
          if (when == Strike.BUSY || when == Strike.DRAINING) {
            var pod = work(drill, 0, "work");
            drill.world.cluster().workloads().guard(pod.uid());
            drill.advance(1, MINUTES);
          }
          if (when == Strike.DRAINING) {
            HardScenarios.asksFor(drill, 0).pool("a").target(2).advance(2, MINUTES);
          }
          strike.by(drill.world.actors(), host, WHILE);
          drill.advance(3, HOURS);
        });
  }

  /** Another machine replaces one that runs a tenant's work. */
  private static Scenario replaced() {
    return end(
        "another machine under the name",
        drill -> {
          idleOnly(drill, 3);
          var pod = work(drill, 0, "work");
          drill.advance(1, MINUTES);
          drill.world.cluster().fleetOwner().replace(node(drill, 0), drill.world.instant());
          drill.advance(1, HOURS);
          drill.world.cluster().deletePod(pod.uid(), drill.world.instant());
        });
  }

  // Objects that cannot be read.

  private static Stream<Scenario> unreadable() {
    return Stream.of(WorldCluster.Kind.POOLS, WorldCluster.Kind.HOSTS, WorldCluster.Kind.NODES)
        .flatMap(kind ->
            Stream.of(
                unreadable(kind, "while nothing happens", false, drill -> {}),
                unreadable(kind, "across a restart", true, drill -> {}),
                unreadable(
                    kind,
                    "in a removal",
                    false,
                    drill -> drill.pool("a").target(2).advance(2, SECONDS)),
                unreadable(
                    kind,
                    "in a removal, across a restart",
                    true,
                    drill -> drill.pool("a").target(2).advance(2, SECONDS))));
  }

  private static Scenario unreadable(
      WorldCluster.Kind kind, String when, boolean restart, Consumer<Drill> begin) {
    return end(
        "unreadable %s %s".formatted(kind, when),
        drill -> {
          preferIdle(drill, 3);
          work(drill, 1, "one");
          work(drill, 2, "two");
          String machine = node(drill, 0);
          String name = kind == WorldCluster.Kind.POOLS ? "a" : machine;
          drill.advance(1, MINUTES);
          begin.accept(drill);
          drill.world.cluster().garble(kind, name, true);
          if (restart) {
            drill.world.operators().kill();
            drill.world.operators().start();
          }
          drill.advance(WHILE.toMinutes(), MINUTES);
          drill.world.cluster().garble(kind, name, false);
        });
  }

  // Writes that are refused for a while.

  private static Stream<Scenario> refused() {
    return Stream.concat(
        Stream.of(drainsRefusedInChurn(), cordonsRefusedInADrain(), forceNotReported()),
        Stream.of(ApiOutages.Refusal.values()).flatMap(TroubleScenarios::refused));
  }

  /** Each change of the Node requires a new list, which succeeds. */
  private static Scenario drainsRefusedInChurn() {
    return end(
        "drains: FORBIDDEN in churn",
        drill -> {
          idleOnly(drill, 3);
          drill.world.actors().churn(node -> true, Duration.ofSeconds(3), WHILE);
          drill
              .world
              .apiOutages()
              .refuse(isFor(NodePurpose.COMMIT), ApiOutages.Refusal.FORBIDDEN, WHILE);
          drill.pool("a").target(1).advance(1, HOURS);
        });
  }

  /**
   * Another client uncordons a Node whose drain a budget blocks, and the operator may not cordon it
   * again.
   */
  private static Scenario cordonsRefusedInADrain() {
    return end(
        "cordons: FORBIDDEN in a drain",
        drill -> {
          String guarded = heldUpByABudget(drill);
          drill
              .world
              .apiOutages()
              .refuse(
                  isFor(NodePurpose.CORDON_AGAIN),
                  ApiOutages.Refusal.FORBIDDEN,
                  Duration.ofHours(3));
          drill.world.cluster().nodeClients().cordon(guarded, false);
          isGoneWithinHours(drill, guarded);
        });
  }

  private static Predicate<Action> isFor(NodePurpose... purposes) {
    return action -> action instanceof Action.WriteNode write && write.isFor(purposes);
  }

  private static boolean isRecord(Action action) {
    return action instanceof Action.WriteNode write
        && write.purpose().isOfDisruption()
        && !write.isFor(NodePurpose.COMMIT);
  }

  /** The report that a drain's deadline has passed is refused. */
  private static Scenario forceNotReported() {
    return end(
        "reports: INVALID at a drain's deadline",
        drill -> {
          String guarded = heldUpByABudget(drill);
          drill
              .world
              .apiOutages()
              .refuse(
                  isFor(NodePurpose.REPORT_REMOVAL),
                  ApiOutages.Refusal.INVALID,
                  Duration.ofHours(3));
          isGoneWithinHours(drill, guarded);
        });
  }

  /** The name of a Node whose drain a budget blocks. */
  private static String heldUpByABudget(Drill drill) {
    preferIdle(drill, 3);
    drill.world.cluster().workloads().guard(work(drill, 0, "guarded").uid());
    HardScenarios.asksFor(drill, 0);
    String guarded = node(drill, 0);
    drill.pool("a").target(2).advance(2, MINUTES);
    return guarded;
  }

  /** A drain ends soon after its deadline, although the fault continues. */
  private static void isGoneWithinHours(Drill drill, String node) {
    drill.advance(90, MINUTES);
    if (drill.world.cluster().nodes().containsKey(node)) {
      throw new IllegalStateException(
          "Node %s still exists: its drain makes no progress".formatted(node));
    }
  }

  private static Stream<Scenario> refused(ApiOutages.Refusal refusal) {
    return Stream.of(
        refused("reports", isFor(NodePurpose.REPORT_ACTIVITY), refusal, true),
        refused("marks", TroubleScenarios::isRecord, refusal, false),
        refused("drains", isFor(NodePurpose.COMMIT), refusal, false),
        refused("deletes", Action.DeleteNode.class::isInstance, refusal, false),
        refused("statuses", Action.PublishStatus.class::isInstance, refusal, false),
        refused("operations on Hosts", Action.OnHost.class::isInstance, refusal, false));
  }

  /** Refuses writes while there is work on Nodes that cannot be registered. */
  private static Scenario refused(
      String what, Predicate<Action> writes, ApiOutages.Refusal refusal, boolean whileBooting) {
    return end(
        "%s: %s".formatted(what, refusal),
        drill -> {
          if (whileBooting) {
            drill.pool("a").target(3).advance(15, MINUTES);
            drill.world.apiOutages().refuse(writes, refusal, Duration.ofMinutes(60));
            drill.advance(20, MINUTES);
            work(drill, 0, "early");
            drill.advance(3, HOURS);
          } else {
            idleOnly(drill, 3);
            work(drill, 0, "stays");
            drill.advance(1, MINUTES);
            drill.world.apiOutages().refuse(writes, refusal, WHILE);
            drill.pool("a").target(1).advance(1, HOURS);
          }
        });
  }

  // Changes that another client undoes.

  private static Stream<Scenario> undone() {
    return Stream.concat(
        Stream.of(WorldActors.Meddling.values())
            .flatMap(what ->
                Stream.of(undone(what, Duration.ZERO), undone(what, Duration.ofSeconds(8)))),
        Stream.of(boundByName()));
  }

  private static Scenario undone(WorldActors.Meddling what, Duration after) {
    return end(
        "undone: %s after %s".formatted(what, after),
        drill -> {
          preferIdle(drill, 3).pool("a").carrying(Scenario.FIRST).advance(5, MINUTES);
          drill.world.cluster().workloads().guard(work(drill, 0, "guarded").uid());
          drill.advance(1, MINUTES);
          drill.world.actors().meddle(what, after, WHILE);
          drill.pool("a").target(1).pool("a").carrying(Scenario.SECOND).advance(3, HOURS);
        });
  }

  /** A client binds Pods by nodeName to admitted Nodes. */
  private static Scenario boundByName() {
    return end(
        "bound by name",
        drill -> {
          idleOnly(drill, 3);
          drill.world.actors().bindToAdmitted(Duration.ofSeconds(2), Duration.ofSeconds(20), WHILE);
          drill.pool("a").target(1).advance(2, HOURS);
        });
  }

  /**
   * The target falls while machines have booted and Pods run on Nodes that the operator has not
   * observed yet.
   */
  private static Scenario stoppedBeforeItsTime() {
    return end(
        "target falls as Nodes join",
        drill -> {
          drill.pool("a").target(3).advance(19, MINUTES);
          drill.world.apiOutages().stall(WorldCluster.Kind.NODES, Duration.ofMinutes(15));
          drill.advance(12, MINUTES);
          for (int node = 0; node < 3; node++) {
            work(drill, node, "early-" + node);
          }
          drill.pool("a").target(1).advance(1, HOURS);
        });
  }
}
