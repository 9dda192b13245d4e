package io.nodepool.world;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.EventReason;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client deletes a pool, and creates another one under its name as soon as it may. */
@Tag("world")
class ReplacedPoolTest {
  private final Drill drill = Drill.calm(1);

  @Test
  void aPoolThatNeverHadAHostIsGoneWithoutAWaitAndSaysSo() {
    drill.pool("a").target(0).toRest();
    String uid = drill.pool("a").seen().id().uid();

    drill.pool("a").delete();
    drill.advance(1, SECONDS);

    assertThat(drill.world.cluster().pool("a")).isEmpty();
    assertThat(drill.emitted(EventReason.NODE_POOL_DELETED)).isEqualTo(1);
    assertThat(drill.world.cluster().appliedWrites().of("confirm empty")).isZero();

    drill.pool("a").target(1).toRest();
    assertThat(drill.pool("a").seen().id().uid()).isNotEqualTo(uid);
    assertThat(drill.pool("a").nodes()).hasSize(1);
  }

  @Test
  void aPoolThatHadNodesIsGoneOnceALiveListFoundNone() {
    drill.pool("a").target(1).toRest();
    drill.pool("a").target(0).toRest();

    drill.pool("a").delete();
    drill.toRest();

    assertThat(drill.world.cluster().pool("a")).isEmpty();
    assertThat(drill.emitted(EventReason.NODE_POOL_DELETED)).isEqualTo(1);
  }
}
