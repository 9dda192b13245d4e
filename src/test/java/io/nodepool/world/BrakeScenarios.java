package io.nodepool.world;

import static io.nodepool.world.RepairScenarios.OUT_NOW;
import static io.nodepool.world.RepairScenarios.OUT_WHEN_IDLE;
import static io.nodepool.world.RepairScenarios.REBOOT_WHEN_IDLE;
import static io.nodepool.world.RepairScenarios.evicting;
import static io.nodepool.world.RepairScenarios.key;
import static io.nodepool.world.RepairScenarios.names;
import static io.nodepool.world.RepairScenarios.playing;
import static io.nodepool.world.RepairScenarios.report;
import static io.nodepool.world.RepairScenarios.scenario;
import static io.nodepool.world.RepairScenarios.work;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.model.repair.RepairState;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Scenarios in which something brakes repairs. */
final class BrakeScenarios {
  private BrakeScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        racks(), boots(), unused(), ceasing(), doubted(), setAside(), verifiedByUser());
  }

  /** In a fleet that does not verify, a person releases an alert about the racks of two pools. */
  private static Scenario racks() {
    return new Scenario(
        "racks of two pools",
        Drill.racks("gb200-4x", 2, 18),
        Agreement.END,
        drill -> {
          WorldSignals signals = drill.world.cluster().signals();
          verifiesNot(drill);
          drill.pool("a").racks("gb200-4x", 1).pool("b").racks("gb200-4x", 1).advance(3, HOURS);
          List<String> all = new ArrayList<>();
          for (String pool : List.of("a", "b")) {
            String released =
                REBOOT_WHEN_IDLE + "/" + drill.world.instant().plus(Duration.ofDays(1));
            drill
                .pool(pool)
                .edit(spec ->
                    spec.withRepair(spec.repair().withSuspects(ReleasedSuspects.read(released))));
            all.addAll(names(drill, pool).subList(0, 12));
          }
          drill.advance(1, MINUTES);
          all.forEach(name -> report(drill, signals, name, REBOOT_WHEN_IDLE));
          drill.advance(12, MINUTES);
          for (int i = 0; i < 12; i++) {
            all.stream()
                .filter(name -> drill.world.cluster().powerCycles().getOrDefault(name, 0) > 0)
                .forEach(name -> signals.withdraw(name, key(REBOOT_WHEN_IDLE)));
            drill.advance(10, MINUTES);
          }
        });
  }

  /** A machine is booted three times in less than a day, and its alert comes again. */
  private static Scenario boots() {
    return scenario(
        "boots over a day",
        2,
        (drill, signals) -> {
          String host = names(drill, "a").getFirst();
          for (int hours : List.of(16, 2, 2, 2)) {
            report(drill, signals, host, REBOOT_WHEN_IDLE);
            drill.advance(15, MINUTES);
            signals.withdraw(host, key(REBOOT_WHEN_IDLE));
            drill.advance(hours, HOURS);
          }
        });
  }

  /** Each Node whose repair is let go first becomes busy at that instant. */
  private static Scenario unused() {
    return scenario(
        "a permission that is not used",
        3,
        (drill, signals) -> {
          List<String> hosts = names(drill, "a").subList(0, 2);
          WorldCluster cluster = drill.world.cluster();
          List<Pod> work = new ArrayList<>();
          cluster.watch(
              WorldCluster.Kind.POOLS,
              seen -> {
                if (work.isEmpty() && seen instanceof Observation.PoolSeen(Pool pool)) {
                  pool.status()
                      .repairs()
                      .admitted()
                      .map(RepairState.Admitted::node)
                      .ifPresent(node ->
                          work.add(cluster.bindPod("default", "train", node, "ReplicaSet")));
                }
              });
          hosts.forEach(host -> report(drill, signals, host, REBOOT_WHEN_IDLE));
          drill.advance(12, MINUTES);
          hosts.forEach(host -> signals.withdraw(host, key(REBOOT_WHEN_IDLE)));
          drill.advance(2, HOURS);
          work.forEach(pod -> cluster.workloads().finish(pod.uid()));
        });
  }

  /** The fleet verifies no longer while a Node is drained for that. */
  private static Scenario ceasing() {
    return scenario(
        "a fleet that ceases to verify",
        2,
        (drill, signals) -> {
          String host = names(drill, "a").getFirst();
          WorldCluster cluster = drill.world.cluster();
          Pod work = work(drill, host);
          cluster.workloads().guard(work.uid());
          evicting(drill);
          drill.advance(5, MINUTES);
          report(drill, signals, host, OUT_WHEN_IDLE);
          drill.advance(5, MINUTES);
          verifiesNot(drill);
          drill.advance(40, MINUTES);
          cluster.workloads().finish(work.uid());
          drill.advance(3, HOURS);
        });
  }

  private static void verifiesNot(Drill drill) {
    FleetOffer last = drill.world.cluster().offer();
    drill
        .world
        .cluster()
        .fleetOwner()
        .offer(last.withCapabilities(last.capabilities().withVerifies(false)));
  }

  /** While a Node is drained for an alert, the same is reported about all others. */
  private static Scenario doubted() {
    return scenario(
        "an alert that is in doubt during its drain",
        6,
        (drill, signals) -> {
          List<String> hosts = names(drill, "a");
          WorldCluster cluster = drill.world.cluster();
          hosts.forEach(host -> cluster.workloads().guard(work(drill, host).uid()));
          evicting(drill);
          drill.advance(5, MINUTES);
          report(drill, signals, hosts.getFirst(), OUT_WHEN_IDLE);
          drill.advance(5, MINUTES);
          hosts.stream().skip(1).forEach(host -> report(drill, signals, host, OUT_WHEN_IDLE));
          drill.advance(20, MINUTES);
          hosts.forEach(host -> signals.withdraw(host, key(OUT_WHEN_IDLE)));
          drill.advance(2, HOURS);
        });
  }

  /** More machines are to be taken out than may be, and a person releases that once. */
  private static Scenario setAside() {
    return new Scenario(
        "Hosts set aside up to the limit",
        Drill.racks(Drill.GPU, 1, 22),
        Agreement.END,
        playing(
            8,
            (drill, signals) -> {
              List<String> hosts = names(drill, "a");
              for (int i = 0; i < 4; i++) {
                report(drill, signals, hosts.get(i), i < 2 ? OUT_WHEN_IDLE : OUT_NOW);
              }
              drill.advance(6, HOURS);
              drill
                  .pool("a")
                  .edit(spec ->
                      spec.withRepair(
                          spec.repair()
                              .withLimits(
                                  spec.repair()
                                      .limits()
                                      .withReleased(Optional.of(drill.world.instant())))));
              drill.advance(10, MINUTES);
              for (int i = 4; i < 8; i++) {
                report(drill, signals, hosts.get(i), i < 6 ? OUT_WHEN_IDLE : OUT_NOW);
              }
              drill.advance(8, HOURS);
              hosts.forEach(host ->
                  List.of(OUT_WHEN_IDLE, OUT_NOW)
                      .forEach(alert -> signals.withdraw(host, key(alert))));
              drill.advance(1, HOURS);
            }));
  }

  /**
   * A user has the only machine verified that becomes idle, of those about which a monitor is
   * wrong, and it fails.
   */
  private static Scenario verifiedByUser() {
    return scenario(
        "a user's verification that fails beside a monitor that is wrong",
        6,
        (drill, signals) -> {
          List<String> hosts = names(drill, "a");
          String asked = hosts.getFirst();
          WorldCluster cluster = drill.world.cluster();
          List<Pod> work = hosts.stream().map(host -> work(drill, host)).toList();
          cluster.fleetOwner().reboot(asked, 0, RebootMishaps.Kind.VERIFICATION_FAILURE);
          drill.advance(1, MINUTES);
          hosts.forEach(host -> report(drill, signals, host, OUT_WHEN_IDLE));
          drill.advance(1, MINUTES);
          new RebootClient(drill).request(asked, LifecycleState.VERIFICATION);
          drill.advance(1, MINUTES);
          cluster.workloads().finish(work.getFirst().uid());
          drill.advance(2, HOURS);
          hosts.forEach(host -> signals.withdraw(host, key(OUT_WHEN_IDLE)));
        });
  }
}
