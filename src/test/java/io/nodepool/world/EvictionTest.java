package io.nodepool.world;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Pod;
import io.nodepool.world.cluster.WorldPods;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the grace periods of evicted Pods. */
class EvictionTest {
  private final Drill drill = Drill.calm(21);

  /** The time from its eviction for which the Pod may still run. */
  private Duration given(Pod.Interruption interruption) {
    drill.pool("a").target(1).toRest();
    Pod pod =
        drill
            .world
            .cluster()
            .workloads()
            .bind(
                "default",
                "batch",
                drill.pool("a").nodes().getFirst().name(),
                "ReplicaSet",
                interruption,
                false);
    drill.toRest().pool("a").target(0);
    Optional<Instant> ends = Optional.empty();
    for (int i = 0; i < 60 && ends.isEmpty(); i++) {
      drill.advance(1, SECONDS);
      ends =
          Optional.ofNullable(drill.world.cluster().pods().get(pod.uid()))
              .orElseThrow()
              .deletedAt();
    }
    return Duration.between(drill.world.instant(), ends.orElseThrow());
  }

  @Test
  void anInterruptiblePodIsEvictedWithAGraceOfOneSecond() {
    assertThat(given(Pod.Interruption.AT_ONCE)).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aSlurmDaemonThatWaitsForJobsKeepsNoNodeAndIsEvictedAsAnyOtherPod() {
    assertThat(given(Pod.Interruption.STANDBY))
        .isBetween(WorldPods.GRACE.minusSeconds(2), WorldPods.GRACE);
    assertThat(drill.world.cluster().appliedWrites().of("evict Pod")).isEqualTo(1);
    assertThat(drill.toRest().pool("a").nodes()).isEmpty();
  }

  @Test
  void aGracefullyInterruptibleOneKeepsItsOwn() {
    assertThat(given(Pod.Interruption.GRACEFUL))
        .isBetween(WorldPods.GRACE.minusSeconds(2), WorldPods.GRACE);
  }
}
