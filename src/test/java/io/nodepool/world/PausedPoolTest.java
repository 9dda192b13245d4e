package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A pool that its user has paused (decision D230): nothing of the pool's own choice begins, and all
 * else goes on.
 */
@Tag("world")
class PausedPoolTest {
  private static final String SECOND = "ncore-2.11.0";
  private static final PoolSpec.Pause PAUSED = PoolSpec.Pause.NONE.withText("true");

  private final Drill drill =
      Drill.with(1, Drill.racks(Drill.GPU, 1, 12), Faults.NONE, OperatorOverrides.AS_BUILT);

  private Drill.PoolDrill pool() {
    return drill.pool("a");
  }

  private void pause(PoolSpec.Pause pause) {
    pool().edit(spec -> spec.withPause(pause));
  }

  private String atTarget() {
    return pool().message(PoolCondition.AT_TARGET);
  }

  @Test
  void noNodeLeavesAndTheConditionSaysSo() {
    pool().target(6).toRest();
    pause(PAUSED);
    pool().target(3);
    drill.advance(2, HOURS);

    assertThat(pool().nodes()).hasSize(6).noneMatch(Node::cordoned);
    assertThat(atTarget())
        .contains("6 nodes, 3 more than its target of 3")
        .contains("3 kept, because the pool is paused");

    pause(PoolSpec.Pause.NONE);
    drill.toRest();
    assertThat(pool().nodes()).hasSize(3);
  }

  @Test
  void aPauseShowsAtOneLook() {
    pool().target(3).toRest();
    assertThat(pool().look()).isEqualTo(SummaryReason.READY);
    pause(PAUSED);
    drill.advance(1, MINUTES);
    assertThat(pool().look()).isEqualTo(SummaryReason.PAUSED);
    pause(PoolSpec.Pause.NONE);
    drill.advance(1, MINUTES);
    assertThat(pool().look()).isEqualTo(SummaryReason.READY);
  }

  @Test
  void aNodeThatIsChosenAndNotDrainedYetStays() {
    pool().target(3).toRest();
    pool().target(2);
    for (int i = 0; i < 100 && pool().nodes().stream().noneMatch(Node::cordoned); i++) {
      drill.advance(100, MILLIS);
    }
    assertThat(pool().nodes()).anyMatch(Node::cordoned);
    pause(PAUSED);
    drill.advance(1, HOURS);

    assertThat(pool().nodes()).hasSize(3).noneMatch(Node::cordoned);
  }

  @Test
  void aMisspeltValuePausesAndIsQuoted() {
    pool().target(3).toRest();
    pause(PoolSpec.Pause.NONE.withText("yes"));
    pool().target(2);
    drill.advance(1, HOURS);

    assertThat(pool().nodes()).hasSize(3);
    assertThat(atTarget())
        .contains("nodepool.io/paused: \"yes\" is neither true nor false and counts as true");
  }

  @Test
  void noNodeHasItsTurnInARollout() {
    pool().target(4).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    pause(PAUSED);
    client.rollOut(SECOND);
    drill.advance(2, HOURS);

    assertThat(client.booted(SECOND)).isZero();
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.RUNNING);
    assertThat(pool().message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains("the pool is paused");

    pause(PoolSpec.Pause.NONE.withText("false"));
    drill.advance(4, HOURS);
    assertThat(client.booted(SECOND)).isEqualTo(4);
  }

  @Test
  void growthRequestsPreemptionsAndDeletionGoOn() {
    pool().spot(3).toRest();
    pause(PAUSED);
    pool().target(4).toRest();
    assertThat(pool().nodes()).hasSize(4);

    String rebooted = pool().nodes().getFirst().name();
    new RebootClient(drill).request(rebooted, LifecycleState.REBOOT);
    drill.advance(1, HOURS);
    assertThat(drill.world.cluster().powerCycles()).containsEntry(rebooted, 1);

    String reclaimed = pool().nodes().getLast().name();
    drill.reclaim(reclaimed);
    drill.advance(8, MINUTES).advance(1, SECONDS);
    assertThat(drill.world.cluster().nodes()).doesNotContainKey(reclaimed);

    pool().delete().toRest();
    assertThat(drill.world.cluster().pool("a")).isEmpty();
  }
}
