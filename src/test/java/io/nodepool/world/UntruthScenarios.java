package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.world.cluster.WorldCluster;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Scenarios in which something is said that is not so, or that happens and is not said. */
final class UntruthScenarios {
  private UntruthScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        lostMachine(),
        lostPreemptedMachine(),
        lostMachineBeforeAReboot(),
        replacedWhileBlocked(),
        uncordonedWhileDrained(),
        boundWhileDetaching(),
        targetRisesAtOnce(),
        takeOverOfABlockedDrain(),
        rebootedByForce());
  }

  private static Scenario of(String name, Consumer<Drill> play) {
    return new Scenario(name, play).agreeing(Agreement.END);
  }

  /** The Host of an idle Node is deleted. */
  private static Scenario lostMachine() {
    return of(
        "lost machine",
        drill -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          drill.world.cluster().fleetOwner().delete(first(drill));
        });
  }

  /** The Host of a Node is replaced while its preemption is announced. */
  private static Scenario lostPreemptedMachine() {
    return of(
        "lost preempted machine",
        drill -> {
          drill.pool("a").spot(2).advance(90, MINUTES);
          String name = first(drill);
          drill.reclaim(name).advance(1, MINUTES);
          drill.world.cluster().fleetOwner().delete(name);
        });
  }

  /** The Host of a Node is deleted when the Node is cordoned for a requested reboot. */
  private static Scenario lostMachineBeforeAReboot() {
    return RebootScenarios.scenario(
        "lost machine before a reboot",
        (drill, client) -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          String name = first(drill);
          client.request(name, LifecycleState.REBOOT);
          for (int step = 0; step < 3_000 && !isCordoned(drill, name); step++) {
            drill.advance(5, MILLIS);
          }
          drill.world.cluster().fleetOwner().delete(name);
        });
  }

  /** The Host of a Node is replaced while a budget blocks the drain of the Node. */
  private static Scenario replacedWhileBlocked() {
    return of(
        "replaced while blocked",
        drill -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          String name = first(drill);
          work(drill, name, true);
          preferIdle(drill).pool("a").target(0).advance(5, MINUTES);
          drill.world.cluster().fleetOwner().replace(name, drill.world.instant());
        });
  }

  /** A client uncordons a Node whose drain is blocked. */
  private static Scenario uncordonedWhileDrained() {
    return of(
        "uncordoned while drained",
        drill -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          String name = first(drill);
          work(drill, name, true);
          preferIdle(drill).pool("a").target(0).advance(5, MINUTES);
          drill.world.cluster().nodeClients().cordon(name, false);
        });
  }

  /** A Pod reaches a Node in removal that only waits for its volume to be detached. */
  private static Scenario boundWhileDetaching() {
    return of(
        "bound while detaching",
        drill -> {
          drill.pool("a").target(1).advance(90, MINUTES);
          String name = first(drill);
          drill.world.cluster().nodeClients().volumes(name, 1);
          drill.pool("a").target(0).advance(2, MINUTES);
          work(drill, name, false);
          drill.advance(5, MINUTES);
          drill.world.cluster().nodeClients().volumes(name, -1);
        });
  }

  /** The target rises again at the moment at which Nodes are admitted. */
  private static Scenario targetRisesAtOnce() {
    return of(
        "target rises at once",
        drill -> {
          drill.pool("a").target(4).advance(90, MINUTES);
          for (int pause = 0; pause < 40; pause++) {
            drill.pool("a").target(1).advance(5 + 5L * pause, MILLIS);
            drill.pool("a").target(4).advance(20, SECONDS);
          }
        });
  }

  /** Another operator takes over while a budget blocks a drain, and before that is published. */
  private static Scenario takeOverOfABlockedDrain() {
    return of(
        "take-over of a blocked drain",
        drill -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          work(drill, first(drill), true);
          preferIdle(drill).pool("a").target(0);
          for (int step = 0; step < 3_000 && !isBlocked(drill); step++) {
            drill.advance(5, MILLIS);
          }
          drill.world.operators().kill();
          drill.world.operators().start();
        });
  }

  /** A Pod does not end on a Node that is rebooted by force. */
  private static Scenario rebootedByForce() {
    return RebootScenarios.scenario(
        "rebooted by force",
        (drill, client) -> {
          drill.pool("a").target(2).advance(90, MINUTES);
          WorldCluster cluster = drill.world.cluster();
          Pod endless = cluster.bindPod("default", "endless", first(drill), "Job");
          cluster.workloads().keep(endless.uid());
          drill.advance(1, MINUTES);
          client.requestNow(first(drill), LifecycleState.REBOOT);
          drill.advance(10, MINUTES);
          cluster.workloads().finish(endless.uid());
        });
  }

  private static boolean isCordoned(Drill drill, String name) {
    return drill.pool("a").nodes().stream()
        .anyMatch(node -> node.name().equals(name) && node.cordoned());
  }

  private static boolean isBlocked(Drill drill) {
    return drill.pool("a").nodes().stream()
        .flatMap(node -> node.removing().stream())
        .anyMatch(says -> says.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET);
  }

  private static Drill preferIdle(Drill drill) {
    return drill.pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
  }

  private static String first(Drill drill) {
    return drill.pool("a").nodes().getFirst().name();
  }

  private static void work(Drill drill, String node, boolean guarded) {
    WorldCluster cluster = drill.world.cluster();
    Pod pod = cluster.bindPod("default", "work-" + cluster.version(), node, "ReplicaSet");
    if (guarded) {
      cluster.workloads().guard(pod.uid());
    }
  }
}
