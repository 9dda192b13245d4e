package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Scenarios in which a fleet reclaims machines from a spot pool. */
final class PreemptionScenarios {
  private PreemptionScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        preemption(), withdrawn(), whileBooting(), whileAdmitted(), whileDraining(), cutOff());
  }

  /** A spot pool with this number of Nodes, on all machines that are offered as spot. */
  private static Drill grown(Drill drill, int nodes, PoolSpec.ScaleDownStrategy strategy) {
    offerOnly(drill, nodes);
    return drill.pool("a").spot(nodes).pool("a").strategy(strategy).advance(90, MINUTES);
  }

  /** A spot pool with this number of Nodes, which removes only idle ones. */
  static Drill grownOnAll(Drill drill, int nodes) {
    return grown(drill, nodes, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
  }

  private static void offerOnly(Drill drill, int machines) {
    Drill.machines(Drill.GPU).stream()
        .skip(machines)
        .forEach(host -> drill.world.cluster().fleetOwner().offerSpot(host, false));
  }

  /** An idle Node and two busy ones go; the pool refills later. */
  private static Scenario preemption() {
    return new Scenario(
            "preemption",
            drill -> {
              grown(drill, 3, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
              HardScenarios.work(drill, 0, "busy");
              slow(drill, 1, Duration.ofMinutes(2));
              List<String> machines = machines(drill);
              drill.advance(1, MINUTES);
              machines.forEach(drill::reclaim);
              drill.advance(20, MINUTES);
              machines.forEach(drill::withdraw);
            })
        .agreeing(Agreement.NAMES);
  }

  private static List<String> machines(Drill drill) {
    return drill.pool("a").hosts().stream().map(host -> host.id().name()).toList();
  }

  /** A Pod that ends this long after its eviction. */
  private static Pod slow(Drill drill, int node, Duration grace) {
    Pod pod = HardScenarios.work(drill, node, "slow");
    drill.world.cluster().workloads().grace(pod.uid(), grace);
    return pod;
  }

  /** Notices are withdrawn during the warning, and during the drain. */
  private static Scenario withdrawn() {
    return new Scenario(
            "preemption withdrawn",
            drill -> {
              grown(drill, 2, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
              HardScenarios.work(drill, 0, "stays");
              slow(drill, 1, Duration.ofMinutes(4));
              List<String> machines = machines(drill);
              drill.advance(1, MINUTES);
              machines.forEach(drill::reclaim);
              drill.advance(1, MINUTES).withdraw(machines.getFirst());
              drill.advance(270, SECONDS).withdraw(machines.getLast());
            })
        .agreeing(Agreement.NAMES);
  }

  /** One machine is reclaimed before it has booted, and offered again an hour later. */
  private static Scenario whileBooting() {
    return new Scenario(
        "preemption while booting",
        drill -> {
          offerOnly(drill, 2);
          drill.pool("a").spot(2).advance(15, MINUTES);
          String machine = machines(drill).getFirst();
          drill.reclaim(machine).advance(1, HOURS).withdraw(machine);
        });
  }

  /** A Node that was chosen by a scale-down is reclaimed in its settle time. */
  private static Scenario whileAdmitted() {
    return new Scenario(
            "preemption while marked",
            drill -> {
              grown(drill, 3, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
              HardScenarios.asksFor(drill, 1).pool("a").spot(2);
              String machine = HardScenarios.node(drill, 1);
              untilAdmitted(drill);
              drill.reclaim(machine).advance(20, MINUTES).withdraw(machine);
            })
        .agreeing(Agreement.END);
  }

  private static void untilAdmitted(Drill drill) {
    for (int i = 0; i < 60 && HardScenarios.inRemoval(drill).findAny().isEmpty(); i++) {
      drill.advance(1, SECONDS);
    }
  }

  /** A drain for a scale-down is overtaken by a preemption. */
  private static Scenario whileDraining() {
    return new Scenario(
            "preemption while draining",
            drill -> {
              grown(drill, 2, PoolSpec.ScaleDownStrategy.PREFER_IDLE);
              slow(drill, 0, Duration.ofMinutes(8));
              HardScenarios.work(drill, 1, "other");
              String machine = HardScenarios.node(drill, 0);
              HardScenarios.asksFor(drill, 0).pool("a").spot(1).advance(3, MINUTES);
              drill.reclaim(machine).advance(20, MINUTES).withdraw(machine);
            })
        .agreeing(Agreement.NAMES);
  }

  /** A Pod does not end, and others are bound late: the machine goes at the end of the window. */
  private static Scenario cutOff() {
    return new Scenario(
            "cut off",
            drill -> {
              grown(drill, 2, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
              String machine = HardScenarios.node(drill, 0);
              endless(drill, machine, "endless");
              drill.advance(1, MINUTES).reclaim(machine);
              for (int seconds = 405; seconds < 480; seconds += 15) {
                String name = "late-" + seconds;
                drill.world.later(Duration.ofSeconds(seconds), () -> endless(drill, machine, name));
              }
              drill.advance(20, MINUTES).withdraw(machine);
            })
        .agreeing(Agreement.END);
  }

  /** Binds a Pod that does not end, if the Node exists. */
  private static void endless(Drill drill, String node, String name) {
    WorldCluster cluster = drill.world.cluster();
    if (cluster.nodes().containsKey(node)) {
      Pod pod = cluster.bindPod("default", name, node, "ReplicaSet");
      cluster.workloads().keep(pod.uid());
      cluster.workloads().grace(pod.uid(), Duration.ofHours(1));
    }
  }
}
