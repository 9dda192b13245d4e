package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.world.check.Situation;
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
  private static final long SEEDS = Math.max(40, Long.getLong("world.seeds", 300) / 3);

  @Test
  void aNodeThatIsDeletedByHandIsReplaced() {
    everySeed(
        Situation.NODE_GONE_UNASKED,
        drill -> {
          drill.pool("a").target(3).settle();
          drill.world.cluster().deleteNodeByHand(drill.pool("a").nodes().getFirst().name());
          drill.advance(5, SECONDS);
          drill.settle();
          assertThat(drill.pool("a").nodes()).hasSize(3).allMatch(node -> node.registered());
          assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
        });
  }

  @Test
  void aPoolRecreatedUnderItsNameIsAnotherPool() {
    everySeed(
        Situation.POOL_RECREATED,
        drill -> {
          drill.pool("a").target(3).settle();
          String first = drill.pool("a").seen().id().uid();
          drill.pool("a").delete().settle();
          drill.pool("a").target(2).settle();
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
          drill.settle();
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
          drill.settle();
          List.of("a", "b")
              .forEach(name -> {
                assertThat(drill.pool(name).nodes()).hasSize(5);
                assertThat(drill.pool(name).conditions()).containsEntry("AtTarget", "TargetMet");
              });
        });
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
