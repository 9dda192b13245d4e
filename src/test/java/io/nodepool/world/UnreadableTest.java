package io.nodepool.world;

import static io.nodepool.world.HardScenarios.node;
import static io.nodepool.world.HardScenarios.preferIdle;
import static io.nodepool.world.HardScenarios.work;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that an unreadable object exists and counts: no Event reports it as changed, and no other
 * is removed in its place.
 */
class UnreadableTest {
  private final Drill drill = Drill.calm(1);

  private int emittedOnThePool(EventReason reason) {
    return drill
        .events(reason)
        .filter(event -> event.eventDraft().regarding().kind() == EventTarget.POOL)
        .mapToInt(event -> event.eventDraft().count())
        .sum();
  }

  @ParameterizedTest
  @EnumSource(
      value = WorldCluster.Kind.class,
      names = {"HOSTS", "NODES"})
  void anOperatorThatNeverReadAMachineNeitherCountsItAsRemovedNorReplacesIt(
      WorldCluster.Kind kind) {
    preferIdle(drill, 3);
    work(drill, 1, "one");
    work(drill, 2, "two");
    String idle = node(drill, 0);
    drill.advance(1, MINUTES).pool("a").target(2).advance(2, SECONDS);
    drill.world.cluster().garble(kind, idle, true);
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(20, MINUTES);

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "InternalError");
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET)).contains(idle);
    assertThat(emittedOnThePool(EventReason.NODE_DELETED)).isZero();
    assertThat(emittedOnThePool(EventReason.NODE_POOL_NODES_REMOVED)).isZero();
    assertThat(emittedOnThePool(EventReason.NODE_POOL_SCALED_DOWN)).isZero();
    assertThat(drill.world.cluster().pods()).hasSize(2);
    assertThat(drill.world.cluster().nodes().values())
        .noneMatch(node -> node.cordoned() && !node.name().equals(idle));

    drill.world.cluster().garble(kind, idle, false);
    drill.toRest();
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.world.cluster().nodes()).hasSize(2).doesNotContainKey(idle);
    assertThat(emittedOnThePool(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(emittedOnThePool(EventReason.NODE_POOL_NODES_REMOVED)).isEqualTo(1);
    assertThat(emittedOnThePool(EventReason.NODE_POOL_SCALED_DOWN)).isEqualTo(1);
    assertThat(drill.world.cluster().pods()).hasSize(2);
  }

  @Test
  void aBatchOfRemovalsIsNotOverWhileANodeOfItCannotBeRead() {
    preferIdle(drill, 3);
    drill.world.cluster().workloads().guard(work(drill, 1, "guarded").uid());
    work(drill, 2, "one");
    work(drill, 2, "two");
    String blocked = node(drill, 1);
    drill.advance(1, MINUTES).pool("a").target(1).advance(5, MINUTES);
    assertThat(emittedOnThePool(EventReason.NODE_DELETED)).isEqualTo(1);
    drill.world.cluster().garble(WorldCluster.Kind.NODES, blocked, true);
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(20, MINUTES);

    assertThat(emittedOnThePool(EventReason.NODE_POOL_NODES_REMOVED)).isEqualTo(1);

    drill.world.cluster().garble(WorldCluster.Kind.NODES, blocked, false);
    drill.toRest();
    assertThat(drill.pool("a").nodes()).hasSize(1);
    assertThat(emittedOnThePool(EventReason.NODE_DELETED)).isEqualTo(2);
    assertThat(emittedOnThePool(EventReason.NODE_POOL_NODES_REMOVED)).isEqualTo(2);
    assertThat(emittedOnThePool(EventReason.NODE_UNCORDONED)).isZero();
    assertThat(emittedOnThePool(EventReason.NODE_REGISTERED)).isEqualTo(3);
  }
}
