package io.nodepool.world;

import static io.nodepool.world.HardScenarios.idleOnly;
import static io.nodepool.world.HardScenarios.node;
import static io.nodepool.world.HardScenarios.preferIdle;
import static io.nodepool.world.HardScenarios.work;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldFleetAdmin;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Scenarios in which clients request reboots. */
final class RebootScenarios {
  private RebootScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        reboot(),
        reconfiguration(),
        atOnce(),
        verification(),
        takenBack(),
        leftBehind(),
        whileShrinking(),
        whileDeleting(),
        whilePreempted(),
        secondTry(),
        neverBack(),
        fast());
  }

  static Scenario scenario(String name, Play play) {
    return new Scenario(name, drill -> play.of(drill, new RebootClient(drill)))
        .agreeing(Agreement.NAMES);
  }

  interface Play {
    void of(Drill drill, RebootClient client);
  }

  private static void ends(Drill drill, Pod pod) {
    drill.world.cluster().deletePod(pod.uid(), drill.world.instant());
  }

  /** An idle Node is rebooted at once, a busy one when its work has ended, and both once more. */
  private static Scenario reboot() {
    return scenario(
        "reboot",
        (drill, client) -> {
          String idle = node(idleOnly(drill, 2), 0);
          String busy = node(drill, 1);
          Pod pod = work(drill, 1, "train");
          drill.advance(1, MINUTES);
          client.request(idle, LifecycleState.REBOOT);
          client.request(busy, LifecycleState.REBOOT);
          drill.world.cluster().fleetOwner().loseFleetAnswer(idle);
          drill.advance(30, MINUTES);
          ends(drill, pod);
          client.request(idle, LifecycleState.REBOOT);
        });
  }

  /** An idle Node's power is reset; a busy one is cordoned, and reconfigured when it is idle. */
  private static Scenario reconfiguration() {
    return scenario(
        "reconfiguration",
        (drill, client) -> {
          String idle = node(idleOnly(drill, 2), 0);
          String busy = node(drill, 1);
          Pod pod = work(drill, 1, "train");
          drill.advance(1, MINUTES);
          client.request(idle, LifecycleState.POWER_RESET);
          client.request(busy, LifecycleState.RECONFIGURE);
          drill.advance(20, MINUTES);
          ends(drill, pod);
        });
  }

  /** Work that a budget protects is ended for an immediate reboot, and work that takes long. */
  private static Scenario atOnce() {
    return scenario(
        "immediate reboot",
        (drill, client) -> {
          String guarded = node(idleOnly(drill, 2), 0);
          String busy = node(drill, 1);
          drill.world.cluster().workloads().guard(work(drill, 0, "guarded").uid());
          drill
              .world
              .cluster()
              .workloads()
              .grace(work(drill, 1, "slow").uid(), Duration.ofMinutes(30));
          drill.advance(1, MINUTES);
          client.requestNow(guarded, LifecycleState.REBOOT);
          client.requestNow(busy, LifecycleState.POWER_RESET);
        });
  }

  /** A machine is verified without a boot, and once more after a verification that failed. */
  private static Scenario verification() {
    return scenario(
        "verification",
        (drill, client) -> {
          String machine = node(idleOnly(drill, 1), 0);
          client.request(machine, LifecycleState.VERIFICATION);
        });
  }

  /** Requests are taken back while they wait, while the Node is cordoned, and too late. */
  private static Scenario takenBack() {
    return scenario(
        "request taken back",
        (drill, client) -> {
          String waiting = node(idleOnly(drill, 3), 0);
          String cordoned = node(drill, 1);
          String booting = node(drill, 2);
          work(drill, 0, "stays");
          work(drill, 1, "stays-too");
          drill.advance(1, MINUTES);
          client.request(waiting, LifecycleState.REBOOT);
          client.request(cordoned, LifecycleState.RECONFIGURE);
          client.request(booting, LifecycleState.REBOOT);
          client.untilCordoned(cordoned);
          client.untilBooting(booting);
          drill.advance(20, SECONDS);
          client.cancel(waiting);
          client.cancel(cordoned);
          client.cancel(booting);
        });
  }

  /**
   * A client takes an immediate request back before the operator can follow it, but not its
   * annotation; another one requests a safe reboot of the busy Node later.
   */
  private static Scenario leftBehind() {
    return scenario(
        "annotation left behind",
        (drill, client) -> {
          String busy = node(idleOnly(drill, 1), 0);
          Pod pod = work(drill, 0, "train");
          drill.advance(1, MINUTES);
          client.requestNow(busy, LifecycleState.REBOOT);
          client.cancel(busy);
          drill.advance(3, MINUTES);
          client.request(busy, LifecycleState.REBOOT);
          drill.advance(30, MINUTES);
          ends(drill, pod);
        });
  }

  /** The pool shrinks during a reboot; the Node that is out of service goes. */
  private static Scenario whileShrinking() {
    return scenario(
        "scale-down during a reboot",
        (drill, client) -> {
          String machine = node(idleOnly(drill, 3), 1);
          drill.advance(1, MINUTES);
          client.request(machine, LifecycleState.REBOOT);
          client.untilBooting(machine);
          drill.advance(30, SECONDS).pool("a").target(2);
        });
  }

  /** The pool is deleted during a reboot. */
  private static Scenario whileDeleting() {
    return scenario(
        "pool deleted during a reboot",
        (drill, client) -> {
          String machine = node(preferIdle(drill, 2), 0);
          work(drill, 1, "other");
          drill.advance(1, MINUTES);
          client.request(machine, LifecycleState.REBOOT);
          client.untilBooting(machine);
          drill.advance(30, SECONDS).pool("a").delete();
        });
  }

  /** A fleet reclaims one machine while its reboot waits, and one during its reboot. */
  private static Scenario whilePreempted() {
    return scenario(
        "preemption during a reboot",
        (drill, client) -> {
          PreemptionScenarios.grownOnAll(drill, 2);
          String waiting = node(drill, 0);
          String booting = node(drill, 1);
          work(drill, 0, "busy");
          drill.advance(1, MINUTES);
          client.request(waiting, LifecycleState.RECONFIGURE);
          client.request(booting, LifecycleState.REBOOT);
          drill.advance(90, SECONDS);
          drill.reclaim(waiting).reclaim(booting).advance(20, MINUTES);
          drill.withdraw(waiting).withdraw(booting);
        });
  }

  /** A reboot hangs once, and a verification fails once. */
  private static Scenario secondTry() {
    return scenario(
        "second try of a reboot",
        (drill, client) -> {
          String hangs = node(idleOnly(drill, 2), 0);
          String fails = node(drill, 1);
          WorldFleetAdmin fleet = drill.world.cluster().fleetOwner();
          fleet.nextReboot(hangs, RebootMishaps.Kind.HANG);
          fleet.nextReboot(fails, RebootMishaps.Kind.VERIFICATION_FAILURE);
          client.request(hangs, LifecycleState.REBOOT);
          client.request(fails, LifecycleState.POWER_RESET);
        });
  }

  /**
   * Machines that boot within seconds are rebooted several times: a request that takes effect late
   * comes when its machine is on another boot.
   */
  private static Scenario fast() {
    DataCentre quick = HardScenarios.quick();
    return new Scenario(
        "fast reboots",
        quick.withTimings(
            quick
                .timings()
                .withReboot(Duration.ofSeconds(1))
                .withVerification(Duration.ofSeconds(1))),
        Agreement.END,
        drill -> {
          RebootClient client = new RebootClient(drill);
          List<String> nodes =
              idleOnly(drill, 3).pool("a").nodes().stream().map(Node::name).toList();
          for (int round = 0; round < 6; round++) {
            nodes.forEach(node -> client.request(node, LifecycleState.REBOOT));
            drill.advance(100 + drill.random.nextInt(40), SECONDS);
          }
        });
  }

  /** A boot never ends: its Host is set aside, and the pool gets another one. */
  private static Scenario neverBack() {
    return scenario(
        "boot that never ends",
        (drill, client) -> {
          String machine = node(idleOnly(drill, 2), 0);
          drill.world.cluster().fleetOwner().reboot(machine, 0, RebootMishaps.Kind.HANG);
          client.request(machine, LifecycleState.REBOOT);
          drill.advance(180, MINUTES);
        });
  }
}
