package io.nodepool.world;

import static io.nodepool.world.HardScenarios.idleOnly;
import static io.nodepool.world.HardScenarios.node;
import static io.nodepool.world.HardScenarios.preferIdle;
import static io.nodepool.world.HardScenarios.work;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldNodeClients;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Scenarios with races: the state that a decision was based on has changed when its write arrives.
 */
final class RaceScenarios {
  private RaceScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        foreignCordon(),
        eagerScheduler(),
        waveringTarget(),
        finalizerInTheWay(),
        fastMachines(),
        deletedWhileItGrows(),
        slowBoots());
  }

  /** A data centre with this number of machines and these durations. */
  private static DataCentre machines(int machines, DataCentre.Timings timings) {
    DataCentre usual = Drill.dataCentre();
    return usual
        .withRacks(List.of(new DataCentre.Rack("101", Drill.GPU, machines)))
        .withQuotas(new TreeMap<>())
        .withTimings(timings)
        .withMishaps(DataCentre.Mishaps.NONE);
  }

  /**
   * Another client cordoned a Node that is chosen for removal; the target rises again while the
   * server is too busy to begin the drain.
   */
  private static Scenario foreignCordon() {
    return new Scenario(
        "foreign cordon",
        drill -> {
          idleOnly(drill, 3).world.cluster().nodeClients().cordon(node(drill, 2), true);
          drill.advance(5, MINUTES);
          drill
              .world
              .apiOutages()
              .refuse(
                  action ->
                      action instanceof Action.WriteNode write && write.isFor(NodePurpose.COMMIT),
                  ApiOutages.Refusal.BUSY,
                  Duration.ofMinutes(20));
          drill.pool("a").target(1).advance(5, MINUTES).pool("a").target(3);
        });
  }

  /** Pods are placed at the moment at which Nodes are chosen for removal. */
  private static Scenario eagerScheduler() {
    return new Scenario(
        "eager scheduler",
        HardScenarios.quick(),
        Agreement.END,
        drill -> {
          idleOnly(drill, 3);
          WorldScheduler scheduler =
              drill.schedule(drill.random.nextLong(), WorldScheduler.Lateness.NONE);
          for (int round = 0; round < 4; round++) {
            for (int pod = 0; pod < 6; pod++) {
              String name = "job-" + round + "-" + pod;
              Duration work = Duration.ofSeconds(5 + drill.random.nextInt(20));
              drill.world.later(
                  Duration.ofMillis(drill.random.nextInt(4_000)),
                  () -> scheduler.submit(name, work));
            }
            drill.advance(drill.random.nextInt(3_000), MILLIS).pool("a").target(1);
            drill.advance(60, SECONDS).pool("a").target(3).advance(5, MINUTES);
          }
          drill.pool("a").target(1).advance(1, HOURS);
        });
  }

  /** A target falls and rises several times within seconds, and falls in the end. */
  private static Scenario waveringTarget() {
    return new Scenario(
            "wavering target",
            drill -> {
              preferIdle(drill, 3);
              for (int node = 0; node < 3; node++) {
                drill.world.cluster().workloads().guard(work(drill, node, "work-" + node).uid());
              }
              drill.advance(5, MINUTES);
              for (int round = 0; round < 3; round++) {
                drill.pool("a").target(1).advance(drill.random.nextInt(4_000), MILLIS);
                drill.pool("a").target(3).advance(drill.random.nextInt(4_000), MILLIS);
              }
              drill.pool("a").target(1).advance(2, HOURS);
            })
        .agreeing(Agreement.END);
  }

  /** A finalizer keeps deleted Nodes while another pool waits for their machines. */
  private static Scenario finalizerInTheWay() {
    return new Scenario(
        "finalizer in the way",
        HardScenarios.quick(),
        Agreement.NUMBERS,
        drill -> {
          idleOnly(drill, 3);
          WorldNodeClients clients = drill.world.cluster().nodeClients();
          List<String> names = drill.pool("a").nodes().stream().map(Node::name).toList();
          names.forEach(clients::keep);
          drill.advance(1, MINUTES).pool("a").target(1).pool("b").target(2).advance(10, MINUTES);
          names.forEach(clients::letGo);
        });
  }

  /**
   * Machines change their holder within seconds, and each new Node gets work immediately: late
   * writes arrive in another tenancy.
   */
  private static Scenario fastMachines() {
    return new Scenario(
        "fast machines",
        machines(
            5,
            new DataCentre.Timings(
                Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofMillis(500))),
        Agreement.END,
        drill -> {
          busyAtOnce(drill, Duration.ofSeconds(8));
          for (String pool : List.of("a", "b", "b", "a")) {
            drill.pool(pool).target(5).advance(9_500 + drill.random.nextInt(500), MILLIS);
            drill.pool(pool).target(0).advance(5_000 + drill.random.nextInt(1_500), MILLIS);
          }
          drill.pool("b").target(2).advance(1, MINUTES);
        });
  }

  /** Each Node gets work when it is created. */
  private static void busyAtOnce(Drill drill, Duration work) {
    Set<String> known = new HashSet<>();
    WorldCluster cluster = drill.world.cluster();
    cluster.watch(
        WorldCluster.Kind.NODES,
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node node) && known.add(node.uid())) {
            drill.world.later(
                Duration.ZERO,
                () -> {
                  Pod pod =
                      cluster.bindPod("default", "work-" + node.uid(), node.name(), "ReplicaSet");
                  drill.world.later(
                      work, () -> cluster.deletePod(pod.uid(), drill.world.instant()));
                });
          }
        });
  }

  /**
   * A pool is deleted while assignments of a former leader are in flight; the next leader has
   * listed the Hosts, and for a minute its watch delivers nothing.
   */
  private static Scenario deletedWhileItGrows() {
    return new Scenario(
            "deleted while it grows",
            drill -> {
              World world = drill.world;
              drill.pool("a").target(8);
              for (int i = 0;
                  i < 500 && world.cluster().appliedWrites().of("assign Host") == 0;
                  i++) {
                drill.advance(1, MILLIS);
              }
              world.operators().handOver(Duration.ofSeconds(20));
              drill.pool("a").delete();
              world
                  .apiOutages()
                  .refuse(
                      RaceScenarios::isCancelled, ApiOutages.Refusal.BUSY, Duration.ofSeconds(18));
              drill.advance(100, MILLIS);
              world.apiOutages().stall(WorldCluster.Kind.HOSTS, Duration.ofMinutes(1));
            })
        .agreeing(Agreement.END);
  }

  private static boolean isCancelled(Action action) {
    return action instanceof Action.OnHost(HostOperation.Cancel _);
  }

  /** Machines take longer to boot than allowed, and no operator runs for a part of that time. */
  private static Scenario slowBoots() {
    return new Scenario(
        "slow boots",
        machines(
            3,
            new DataCentre.Timings(
                Duration.ofMinutes(65), Duration.ofMinutes(70), Duration.ofMinutes(5))),
        Agreement.NUMBERS,
        drill -> {
          drill.pool("a").target(2).advance(5, MINUTES);
          drill.world.operators().kill();
          drill.advance(30, MINUTES);
          drill.world.operators().start();
        });
  }
}
