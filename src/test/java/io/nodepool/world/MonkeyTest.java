package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests harmful actions of clients at any moment: the pool recovers and nothing is left over. */
@Tag("world")
class MonkeyTest {
  private static final long SEEDS = Math.max(40, Long.getLong("world.seeds", 0) / 3);

  @Test
  void aNodeThatIsDeletedByHandIsReplaced() {
    everySeed(
        Situation.NODE_GONE_UNASKED,
        drill -> {
          drill.pool("a").target(3).toRest();
          drill.world.cluster().nodeClients().delete(drill.pool("a").nodes().getFirst().name());
          drill.advance(5, SECONDS);
          drill.toRest();
          assertThat(drill.pool("a").nodes()).hasSize(3).allMatch(node -> node.registered());
          assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
        });
  }

  @Test
  void aPoolRecreatedUnderItsNameIsAnotherPool() {
    everySeed(
        Situation.POOL_RECREATED,
        drill -> {
          drill.pool("a").target(3).toRest();
          String first = drill.pool("a").seen().id().uid();
          drill.pool("a").delete().toRest();
          drill.pool("a").target(2).toRest();
          assertThat(drill.pool("a").seen().id().uid()).isNotEqualTo(first);
          assertThat(drill.pool("a").nodes()).hasSize(2);
          assertThat(drill.world.cluster().nodes()).hasSize(2);
        });
  }

  @Test
  void aFinalizerRemovedByHandLeavesNoHostAssigned() {
    everySeed(
        Situation.ORPHANED,
        drill -> {
          drill.pool("a").target(4);
          drill.advance(drill.random.nextInt(60), MINUTES);
          drill.pool("a").delete();
          drill.advance(drill.random.nextInt(5), SECONDS);
          if (drill.world.cluster().pool("a").isPresent()) {
            drill.world.cluster().stripFinalizer("a");
          }
          drill.toRest();
          assertThat(drill.world.cluster().pools()).isEmpty();
          assertThat(drill.world.cluster().nodes()).isEmpty();
          assertThat(drill.world.cluster().hosts().values()).allMatch(Host::isFree);
        });
  }

  @Test
  void twoPoolsWhoseTargetsChangeAtAnyMomentEndAtTheirLastTargets() {
    everySeed(
        Situation.CANCELLED_WHILE_BOOTING,
        drill -> {
          for (int i = 0; i < 12; i++) {
            String name = drill.random.nextBoolean() ? "a" : "b";
            drill.pool(name).target(drill.random.nextInt(6));
            drill.world.advance(Duration.ofSeconds(drill.random.nextInt(90)));
          }
          drill.pool("a").target(5);
          drill.pool("b").target(5);
          drill.toRest();
          List.of("a", "b")
              .forEach(name -> {
                assertThat(drill.pool(name).nodes()).hasSize(5);
                assertThat(drill.pool(name).conditions()).containsEntry("AtTarget", "TargetMet");
              });
        });
  }

  @Test
  void aPoolThatIsRolledOutAtAnyMomentEndsUpToDate() {
    everySeed(
        Situation.ROLLED_OUT_ANEW,
        drill -> {
          drill.pool("a").target(4).advance(60, MINUTES);
          RolloutMonkey monkey = new RolloutMonkey(drill);
          for (int i = 0; i < 16; i++) {
            monkey.anything();
            bind(drill, "work-" + i);
            drill.world.advance(Duration.ofSeconds(drill.random.nextInt(1_200)));
          }
          drill.advance(4, HOURS);
          RolloutClient client = new RolloutClient(drill, "a");
          monkey.repair();
          List.copyOf(drill.world.cluster().pods().keySet())
              .forEach(uid -> drill.world.cluster().deletePod(uid, drill.world.instant()));
          client.settings(last -> RolloutSettings.DEFAULTS);
          drill.advance(2, HOURS);
          boolean pauses = client.pausesAtStart();
          client.start();
          drill.toRest();
          if (pauses) {
            assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
            client.start();
            drill.toRest();
          }
          assertThat(drill.pool("a").nodes()).hasSize(4).noneMatch(Node::cordoned);
          assertThat(client.booted(client.state().profile())).isEqualTo(4);
          assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
          assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
        });
  }

  @Test
  void anAnnotationThatIsLeftBehindAtAnyMomentInterruptsNoLaterRequest() {
    everySeed(
        Situation.POLICY_TAKEN_OFF,
        drill -> {
          drill.pool("a").target(3).advance(60, MINUTES);
          RebootMonkey monkey = new RebootMonkey(drill, drill.random);
          drill.pool("a").busy();
          for (int i = 0; i < 12; i++) {
            switch (drill.random.nextInt(4)) {
              case 0 -> monkey.requestNowForAWhile();
              case 1 -> monkey.policyAlone();
              case 2 -> monkey.requestForAWhile();
              default -> monkey.requestSafely();
            }
            drill.world.advance(Duration.ofSeconds(drill.random.nextInt(200)));
          }
          drill.advance(1, HOURS);
          List.copyOf(drill.world.cluster().pods().keySet())
              .forEach(uid -> drill.world.cluster().deletePod(uid, drill.world.instant()));
          drill.toRest();
          assertThat(drill.pool("a").nodes()).hasSize(3).noneMatch(Node::cordoned);
          assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
        });
  }

  /** Binds a Pod to one of the Nodes that take Pods; some end, and some have a budget. */
  private static void bind(Drill drill, String name) {
    List<Node> open = drill.pool("a").nodes().stream().filter(node -> !node.cordoned()).toList();
    if (open.isEmpty()) {
      return;
    }
    Node node = open.get(drill.random.nextInt(open.size()));
    Pod pod = drill.world.cluster().bindPod("default", name, node.name(), "ReplicaSet");
    if (drill.random.nextInt(4) == 0) {
      drill.world.cluster().workloads().guard(pod.uid());
    }
    if (drill.random.nextBoolean()) {
      drill.world.later(
          Duration.ofSeconds(drill.random.nextInt(3_600)),
          () -> drill.world.cluster().deletePod(pod.uid(), drill.world.instant()));
    }
  }

  /** The actions of a run. */
  private interface Play {
    void on(Drill drill);
  }

  /** Runs every seed, and fails if the situation that the test covers did not occur. */
  private static void everySeed(Situation about, Play play) {
    Census census = new Census();
    LongStream.rangeClosed(1, SEEDS)
        .parallel()
        .forEach(seed -> {
          Faults faults =
              seed % 2 == 0
                  ? Faults.LATE.crashAt(1 + new SplittableRandom(seed).nextInt(60), true)
                  : Faults.NONE;
          Drill drill = Drill.with(seed, faults, OperatorOverrides.AS_BUILT);
          try {
            play.on(drill);
          } catch (AssertionError | IllegalStateException failure) {
            throw new AssertionError(
                "seed %d, %s, step %d: %s"
                    .formatted(seed, faults, drill.world.steps(), failure.getMessage()),
                failure);
          }
          census.add(drill.world.situations());
        });
    census.report("MonkeyTest", EnumSet.of(about, Situation.ANSWER_LOST));
  }
}
