package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Scenarios in which the cluster, its controllers or its clients interfere by themselves. */
final class HardScenarios {
  private HardScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        chosenByClients(),
        leastBusy(),
        unhealthyFirst(),
        priorities(),
        silentKubelet(),
        churn(),
        besideChurn(),
        lateScheduler(PoolSpec.ScaleDownStrategy.IDLE_ONLY),
        lateScheduler(PoolSpec.ScaleDownStrategy.PREFER_IDLE),
        volumes(),
        outage(),
        handOver(),
        expiredEvents(),
        absence(),
        deletedUnderWork());
  }

  /** A pool with this number of registered Nodes. */
  static Drill grown(Drill drill, int nodes, PoolSpec.ScaleDownStrategy strategy) {
    return drill.pool("a").target(nodes).pool("a").strategy(strategy).advance(90, MINUTES);
  }

  static Drill idleOnly(Drill drill, int nodes) {
    return grown(drill, nodes, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
  }

  static Drill preferIdle(Drill drill, int nodes) {
    return grown(drill, nodes, PoolSpec.ScaleDownStrategy.PREFER_IDLE);
  }

  /** The name of one of the pool's Nodes. */
  static String node(Drill drill, int index) {
    return drill.pool("a").nodes().get(index).name();
  }

  /** A tenant's Pod on one of the pool's Nodes. */
  static Pod work(Drill drill, int index, String name) {
    return drill.world.cluster().bindPod("default", name, node(drill, index), "ReplicaSet");
  }

  /** A client requests the removal of one of the pool's Nodes. */
  static Drill asksFor(Drill drill, int index) {
    drill.world.cluster().nodeClients().metadata(node(drill, index), HardScenarios::askedFor);
    return drill.advance(1, MINUTES);
  }

  private static NodeMetadata askedFor(NodeMetadata metadata) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.put(NodeLabels.REMOVE_NODE.key(), "true");
    return metadata.withLabels(labels);
  }

  /** A client chooses the Node to be removed. */
  private static Scenario chosenByClients() {
    return new Scenario(
            "chosen by clients", drill -> asksFor(idleOnly(drill, 4), 2).pool("a").target(3))
        .agreeing(Agreement.NAMES);
  }

  /** The idle Node is removed, and of the busy ones the one with the fewest Pods. */
  private static Scenario leastBusy() {
    return new Scenario(
            "least busy",
            drill -> {
              preferIdle(drill, 3);
              work(drill, 0, "one");
              work(drill, 0, "two");
              work(drill, 1, "three");
              drill.advance(5, MINUTES).pool("a").target(1);
            })
        .agreeing(Agreement.NAMES);
  }

  /** A Node whose kubelet does not answer is removed before the others. */
  private static Scenario unhealthyFirst() {
    return new Scenario(
            "unhealthy first",
            drill -> {
              idleOnly(drill, 3);
              drill.world.actors().silence(node(drill, 1), Duration.ofHours(3));
              drill.advance(5, MINUTES).pool("a").target(2);
            })
        .agreeing(Agreement.NAMES);
  }

  /** Two pools wait for quota; freed quota goes to the later one, which has the higher priority. */
  private static Scenario priorities() {
    return new Scenario(
            "priorities",
            drill -> {
              drill.pool("a").target(6).advance(90, MINUTES);
              drill.pool("low").target(5).advance(5, MINUTES);
              drill.pool("high").target(5).pool("high").edit(spec -> spec.withPriority(5));
              drill.advance(5, MINUTES).pool("a").target(4);
            })
        // An assignment of a crashed operator may take effect after its successor has assigned
        // another Host, which became free in the meantime; then one of the two is released.
        .agreeing(Agreement.END);
  }

  /** A Node whose drain a budget blocks stops answering; its Pods are deleted but do not end. */
  private static Scenario silentKubelet() {
    return new Scenario(
            "silent kubelet",
            drill -> {
              preferIdle(drill, 2);
              drill.world.cluster().workloads().guard(work(drill, 0, "guarded").uid());
              work(drill, 1, "other");
              String silent = node(drill, 0);
              asksFor(drill, 0).pool("a").target(1).advance(2, MINUTES);
              drill.world.actors().silence(silent, Duration.ofMinutes(20));
            })
        .agreeing(Agreement.NAMES);
  }

  /** All Nodes change all the time while some of them are removed. */
  private static Scenario churn() {
    return new Scenario(
        "churn",
        drill -> {
          idleOnly(drill, 4);
          drill
              .world
              .actors()
              .churn(node -> true, Duration.ofMillis(5_300), Duration.ofMinutes(10));
          drill.advance(1, MINUTES).pool("a").target(1);
        });
  }

  /**
   * A Node leaves while those of another pool change all the time; at the end another client
   * changes it too.
   */
  private static Scenario besideChurn() {
    return new Scenario(
        "beside churn",
        drill -> {
          drill.pool("b").target(1);
          idleOnly(drill, 1);
          WorldActors actors = drill.world.actors();
          String leaving = node(drill, 0);
          actors.churn(
              node -> !node.name().equals(leaving), Duration.ofSeconds(9), Duration.ofMinutes(4));
          drill.pool("a").target(0).advance(4, MINUTES);
          actors.churn(
              node -> node.name().equals(leaving), Duration.ofSeconds(9), Duration.ofSeconds(9));
        });
  }

  /**
   * Pods are bound minutes after the scheduler chose their Node, which may be admitted, drained or
   * deleted in the meantime.
   */
  private static Scenario lateScheduler(PoolSpec.ScaleDownStrategy strategy) {
    return new Scenario(
        "late scheduler, " + strategy,
        quick(),
        Agreement.END,
        drill -> {
          grown(drill, 3, strategy);
          WorldScheduler scheduler =
              drill.schedule(
                  drill.random.nextLong(),
                  new WorldScheduler.Lateness(70, Duration.ofSeconds(100)));
          for (int round = 0; round < 4; round++) {
            for (int pod = 0; pod < 10; pod++) {
              String name = "job-" + round + "-" + pod;
              Duration work = Duration.ofSeconds(1 + drill.random.nextInt(15));
              drill.world.later(
                  Duration.ofSeconds(drill.random.nextInt(90)), () -> scheduler.submit(name, work));
            }
            drill.advance(80 + drill.random.nextInt(20), SECONDS).pool("a").target(1);
            drill.advance(2 + drill.random.nextInt(40), SECONDS).pool("a").target(3);
            drill.advance(150 + drill.random.nextInt(60), SECONDS);
          }
          drill.pool("a").target(1).advance(2, HOURS);
        });
  }

  /** Three machines that boot within two minutes. */
  static DataCentre quick() {
    DataCentre slow = Drill.dataCentre();
    return slow.withRacks(List.of(new DataCentre.Rack("101", Drill.GPU, 3)))
        .withQuotas(new TreeMap<>())
        .withTimings(
            new DataCentre.Timings(
                Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(1)))
        .withMishaps(DataCentre.Mishaps.NONE);
  }

  /** One volume is detached in time, and one is never detached. */
  private static Scenario volumes() {
    return new Scenario(
            "volumes",
            drill -> {
              preferIdle(drill, 3);
              WorldActors actors = drill.world.actors();
              actors.attach(work(drill, 0, "quick"), Duration.ofMinutes(3));
              actors.attach(work(drill, 1, "slow"), Duration.ofHours(2));
              work(drill, 2, "stays");
              asksFor(drill, 0);
              asksFor(drill, 1).pool("a").target(1);
            })
        .agreeing(Agreement.NAMES);
  }

  /** The API server is unavailable for minutes, while machines boot and while Nodes are removed. */
  private static Scenario outage() {
    return new Scenario(
        "outage",
        drill -> {
          drill.pool("a").target(4).advance(240, MILLIS);
          drill.world.apiOutages().outage(Duration.ofMinutes(1));
          drill.advance(24, MINUTES);
          drill.world.apiOutages().outage(Duration.ofMinutes(3));
          drill.advance(66, MINUTES);
          work(drill, 0, "stays");
          drill.advance(1, MINUTES).pool("a").target(1);
          drill.advance(drill.random.nextInt(6_000), MILLIS);
          drill.world.apiOutages().outage(Duration.ofMinutes(6));
        });
  }

  /** Leadership moves while a pool grows, and while it shrinks. */
  private static Scenario handOver() {
    return new Scenario(
        "hand-over",
        drill -> {
          drill.pool("a").target(4).untilUnderWay();
          drill.world.operators().handOver(Duration.ofMinutes(1));
          drill.advance(90, MINUTES).pool("a").target(1).untilUnderWay();
          drill.world.operators().handOver(Duration.ofMinutes(2));
          drill.advance(drill.random.nextInt(9_000), MILLIS);
          drill.world.operators().handOver(Duration.ofMinutes(1));
        });
  }

  /** All Events expire while a drain is blocked, and the operator restarts. */
  private static Scenario expiredEvents() {
    return new Scenario(
        "expired Events",
        drill -> {
          preferIdle(drill, 3);
          drill.world.cluster().workloads().guard(work(drill, 0, "guarded").uid());
          work(drill, 1, "other");
          asksFor(drill, 0).pool("a").target(2).advance(10, MINUTES);
          drill.world.cluster().eventLog().expire();
          drill.world.operators().kill();
          drill.world.operators().start();
          drill.advance(90, MINUTES);
          drill.world.cluster().eventLog().expire();
          drill.world.operators().kill();
          drill.world.operators().start();
        });
  }

  /**
   * No operator runs for hours while machines boot; that must not count as a failure of the
   * machines.
   */
  private static Scenario absence() {
    return new Scenario(
        "absence",
        drill -> {
          drill.pool("a").target(4).advance(10, MINUTES);
          drill.world.operators().kill();
          drill.advance(3, HOURS);
          drill.world.operators().start();
        });
  }

  /** The Host of a busy Node is deleted, and created again before its work ends. */
  private static Scenario deletedUnderWork() {
    return new Scenario(
        "Host of a busy Node deleted",
        drill -> {
          idleOnly(drill, 3);
          Pod work = work(drill, 0, "work");
          String name = node(drill, 0);
          Host host = Objects.requireNonNull(drill.world.cluster().hosts().get(name));
          drill.advance(1, MINUTES);
          drill.world.cluster().fleetOwner().delete(name);
          drill.advance(1, HOURS);
          drill.world.cluster().fleetOwner().restore(host, drill.world.instant());
          drill.advance(10, MINUTES);
          drill.world.cluster().deletePod(work.uid(), drill.world.instant());
        });
  }

  /** The Nodes of the pool that are in removal. */
  static Stream<Node> inRemoval(Drill drill) {
    return drill.pool("a").nodes().stream().filter(Node::isTerminating);
  }
}
