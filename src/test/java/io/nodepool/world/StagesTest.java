package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests every disturbance at every stage of every cause: just before each write that the operator
 * makes for the cause, another client cordons, drains or uncordons the Node, its Host is deleted
 * for a while or for good, or replaced, or the operator is away. Each run comes to rest at the
 * pool's target, and no Node stays cordoned that the other client did not cordon. The writes of the
 * growth that a scenario begins with are no stages. With {@code -Dworld.seeds=N} of more than 500,
 * every write is a stage, else every eighth; the disturbances of a cause begin at different ones.
 */
@Tag("world")
class StagesTest {
  private static final Duration WHOLE = Duration.ofHours(4);
  private static final int STEP = Long.getLong("world.seeds", 0) > 500 ? 1 : 8;

  /** What disrupts Nodes of pool "a". */
  enum Cause {
    SCALE_DOWN(drill -> grown(drill, 2), drill -> drill.pool("a").target(1)),
    SCALE_DOWN_OF_BUSY(
        drill -> {
          grown(drill, 2);
          drill.pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE).pool("a").busy();
          drill.advance(5, MINUTES);
        },
        drill -> drill.pool("a").target(1)),
    POOL_DELETION(drill -> grown(drill, 1), drill -> drill.pool("a").delete()),
    PREEMPTION(
        drill -> {
          drill.pool("a").spot(1).advance(90, MINUTES).pool("a").busy();
          drill.advance(5, MINUTES);
        },
        drill -> drill.reclaim(first(drill))),
    REBOOT(
        drill -> grown(drill, 1),
        drill -> new RebootClient(drill).request(first(drill), LifecycleState.REBOOT)),
    IMMEDIATE_REBOOT(
        drill -> {
          grown(drill, 1);
          drill.pool("a").busy().advance(5, MINUTES);
        },
        drill -> new RebootClient(drill).requestNow(first(drill), LifecycleState.POWER_RESET)),
    ROLLOUT(
        drill -> {
          grown(drill, 2);
          RolloutClient client = new RolloutClient(drill, "a");
          client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
          client.release("ncore-2.11.0");
          drill.advance(1, MINUTES);
          client.promote();
          drill.advance(1, MINUTES);
        },
        drill -> new RolloutClient(drill, "a").start()),
    EVICTING_ROLLOUT(
        drill -> {
          grown(drill, 1);
          RolloutClient client = new RolloutClient(drill, "a");
          client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
          client.settings(last -> last.withEvict(true));
          client.release("ncore-2.11.0");
          drill.advance(1, MINUTES);
          client.promote();
          drill.pool("a").busy();
          drill.pool("a").nodes().forEach(node -> guard(drill, node.name()));
          drill.advance(5, MINUTES);
        },
        drill -> new RolloutClient(drill, "a").start()),
    RECONFIGURATION(
        drill -> grown(drill, 1),
        drill -> new RebootClient(drill).request(first(drill), LifecycleState.RECONFIGURE)),
    VERIFICATION(
        drill -> grown(drill, 1),
        drill -> new RebootClient(drill).request(first(drill), LifecycleState.VERIFICATION)),
    REBOOT_FAILED(
        drill -> grown(drill, 1),
        drill -> {
          String node = first(drill);
          drill.world.cluster().fleetOwner().reboot(node, 0, RebootMishaps.Kind.HANG);
          new RebootClient(drill).request(node, LifecycleState.REBOOT);
        }),
    REGISTRATION_FAILED(drill -> {}, StagesTest::growUnregistered),
    ORPHANED(
        drill -> {
          grown(drill, 1);
          drill.pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE).pool("a").busy();
          drill.advance(5, MINUTES);
        },
        drill -> {
          drill.pool("a").delete();
          drill.world.cluster().stripFinalizer("a");
        }),
    NO_MACHINE(
        drill -> grown(drill, 1), drill -> drill.world.cluster().fleetOwner().delete(first(drill))),
    OUTAGE(
        drill -> grown(drill, 1),
        drill -> drill.world.actors().fail(first(drill), Duration.ofDays(1)));

    private final Consumer<Drill> before;
    private final Consumer<Drill> begin;

    Cause(Consumer<Drill> before, Consumer<Drill> begin) {
      this.before = before;
      this.begin = begin;
    }
  }

  /** What happens at a stage of a cause. */
  enum Disturbance {
    UNCORDON,
    CORDON,
    CORDON_FOR_A_WHILE,
    DRAIN,
    DRAIN_FOR_A_WHILE,
    HOST_DELETED,
    HOST_DELETED_FOR_A_WHILE,
    HOST_REPLACED,
    OPERATOR_AWAY
  }

  private static void grown(Drill drill, int nodes) {
    drill.pool("a").target(nodes).advance(90, MINUTES);
  }

  private static String first(Drill drill) {
    return drill.pool("a").nodes().getFirst().name();
  }

  /** A budget blocks the drain of the Node until its deadline. */
  private static void guard(Drill drill, String node) {
    WorldCluster cluster = drill.world.cluster();
    cluster.pods().values().stream()
        .filter(pod -> pod.nodeName().equals(node))
        .map(Pod::uid)
        .toList()
        .forEach(cluster.workloads()::guard);
  }

  /** The kubelet of the pool's first Node falls silent before the Node is registered. */
  private static void growUnregistered(Drill drill) {
    WorldCluster cluster = drill.world.cluster();
    boolean[] silent = new boolean[1];
    cluster.watch(
        WorldCluster.Kind.NODES,
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node node) && !silent[0]) {
            silent[0] = true;
            cluster.nodeClients().ready(node.name(), false);
          }
        });
    drill.pool("a").target(1);
  }

  static Stream<Arguments> cells() {
    return Stream.of(Cause.values())
        .flatMap(cause ->
            Stream.of(Disturbance.values()).map(disturbance -> Arguments.of(cause, disturbance)));
  }

  @ParameterizedTest(name = "{1} at every stage of {0}")
  @MethodSource("cells")
  void everyRunEndsAtTheTargetWithoutACordon(Cause cause, Disturbance disturbance) {
    Drill undisturbed = Drill.calm(1);
    cause.before.accept(undisturbed);
    int first = undisturbed.world.writes();
    cause.begin.accept(undisturbed);
    undisturbed.world.advance(WHOLE);
    int last = undisturbed.world.writes();
    assertThat(last).isGreaterThan(first);

    int shift =
        List.of(Cause.values()).indexOf(cause) + List.of(Disturbance.values()).indexOf(disturbance);
    int begin = first + 1 + shift % STEP;
    List<String> failures =
        IntStream.iterate(begin, write -> write <= last + 1, write -> write + STEP)
            .parallel()
            .boxed()
            .flatMap(write -> failure(cause, disturbance, write).stream())
            .limit(2)
            .toList();
    assertThat(failures).isEmpty();
  }

  private static Optional<String> failure(Cause cause, Disturbance disturbance, int write) {
    Drill drill = Drill.calm(1);
    Stage stage = new Stage(drill);
    try {
      cause.before.accept(drill);
      drill.world.beforeWrite(write, () -> stage.disturb(disturbance));
      cause.begin.accept(drill);
      drill.world.advance(WHOLE);
      stage.disturb(disturbance);
      drill.world.advance(WHOLE);
      drill.toRest();
    } catch (IllegalStateException | NoSuchElementException broken) {
      return Optional.of("before write %d: %s".formatted(write, broken.getMessage()));
    }
    return stage
        .complaint()
        .or(() -> atTarget(drill))
        .or(() -> AtRest.complaint(drill))
        .map(complaint -> "before write %d: %s".formatted(write, complaint));
  }

  private static Optional<String> atTarget(Drill drill) {
    return drill
        .world
        .cluster()
        .pool("a")
        .filter(pool -> !"TargetMet".equals(drill.pool("a").conditions().get("AtTarget")))
        .map(pool -> "not at its target: " + drill.pool("a").conditions());
  }

  /** The disturbance of one run, at most once. */
  private static final class Stage {
    private final Drill drill;
    private final WorldCluster cluster;
    private boolean disturbed;

    /** The UID of the Node that the other client cordoned for good; empty if none. */
    private String cordoned = "";

    /** Whether that cordon stood before any of ours. */
    private boolean isFirst;

    Stage(Drill drill) {
      this.drill = drill;
      this.cluster = drill.world.cluster();
    }

    void disturb(Disturbance what) {
      Optional<Node> found = subject();
      if (disturbed || found.isEmpty()) {
        return;
      }
      disturbed = true;
      String node = found.get().name();
      switch (what) {
        case UNCORDON -> uncordon(node);
        case CORDON -> cordon(found.get());
        case CORDON_FOR_A_WHILE -> {
          cluster.nodeClients().cordon(node, true);
          later(() -> uncordon(node));
        }
        case DRAIN -> {
          cordon(found.get());
          evict(node);
        }
        case DRAIN_FOR_A_WHILE -> {
          cluster.nodeClients().cordon(node, true);
          evict(node);
          later(() -> uncordon(node));
        }
        case HOST_DELETED -> cluster.fleetOwner().delete(node);
        case HOST_DELETED_FOR_A_WHILE ->
            Optional.ofNullable(cluster.hosts().get(node))
                .ifPresent(host -> {
                  cluster.fleetOwner().delete(node);
                  later(() -> cluster.fleetOwner().restore(host, drill.world.instant()));
                });
        case HOST_REPLACED -> cluster.fleetOwner().replace(node, drill.world.instant());
        case OPERATOR_AWAY -> {
          // The process that is about to write is not interrupted in the middle of that.
          drill.world.later(Duration.ZERO, drill.world.operators()::kill);
          drill.world.later(Duration.ofMinutes(45), drill.world.operators()::start);
        }
      }
    }

    private void later(Runnable what) {
      drill.world.later(Duration.ofMinutes(7), what);
    }

    private void cordon(Node node) {
      cordoned = node.uid();
      isFirst = !node.cordoned() && node.disruption().filter(Disruption::isActive).isEmpty();
      cluster.nodeClients().cordon(node.name(), true);
    }

    private void uncordon(String node) {
      cluster.nodeClients().cordon(node, false);
    }

    private void evict(String node) {
      cluster.pods().values().stream()
          .filter(pod -> pod.nodeName().equals(node))
          .map(Pod::uid)
          .toList()
          .forEach(uid -> cluster.deletePod(uid, drill.world.instant()));
    }

    /** The Node that is disrupted, or any. */
    private Optional<Node> subject() {
      return cluster.nodes().values().stream()
          .filter(node -> node.disruption().filter(Disruption::isActive).isPresent())
          .findFirst()
          .or(() -> cluster.nodes().values().stream().findFirst());
    }

    Optional<String> complaint() {
      return cluster.nodes().values().stream()
          .filter(node -> node.cordoned() && !node.uid().equals(cordoned))
          .findFirst()
          .map(node -> "Node %s stays cordoned, with %s".formatted(node.name(), node.disruption()))
          .or(() ->
              cluster.nodes().values().stream()
                  .filter(node -> isFirst && node.uid().equals(cordoned) && !node.cordoned())
                  .findFirst()
                  .map(node -> "Node %s lost another client's cordon".formatted(node.name())));
    }
  }
}
