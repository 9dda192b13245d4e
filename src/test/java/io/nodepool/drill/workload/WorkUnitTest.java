package io.nodepool.drill.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What work is done, saved and lost. */
class WorkUnitTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private static WorkUnit unit(Optional<Duration> lasts, Optional<Duration> checkpoint) {
    return new WorkUnit(
        new WorkloadState(
            new WorkloadManifest(
                WorkloadManifest.Kind.JOB,
                new WorkloadManifest.Id("ml", "a"),
                2,
                new PodTemplateSpecBuilder()
                    .withNewMetadata()
                    .endMetadata()
                    .withNewSpec()
                    .endSpec()
                    .build(),
                new WorkloadManifest.Work(lasts, checkpoint, true, 2))),
        0,
        2,
        START);
  }

  private static void run(WorkUnit unit, int slot, boolean runs, Duration at) {
    unit.slots.get(slot).runs = runs;
    unit.changed(START.plus(at));
  }

  @Test
  void aGangAdvancesWhileAllItsPodsRun() {
    WorkUnit unit = unit(Optional.of(HOUR.multipliedBy(4)), Optional.of(HOUR));
    run(unit, 0, true, Duration.ZERO);
    assertThat(unit.done()).isEmpty();
    run(unit, 1, true, HOUR);
    assertThat(unit.done()).hasValue(START.plus(HOUR.multipliedBy(5)));
    run(unit, 1, false, HOUR.multipliedBy(3).plusMinutes(10));

    assertThat(unit.lost).isEqualTo(Duration.ofMinutes(10));
    assertThat(unit.effective(START.plus(HOUR.multipliedBy(9)))).isEqualTo(HOUR.multipliedBy(2));

    run(unit, 1, true, HOUR.multipliedBy(10));
    assertThat(unit.done()).hasValue(START.plus(HOUR.multipliedBy(12)));
  }

  @Test
  void withoutCheckpointsAllIsLost() {
    WorkUnit unit = unit(Optional.of(HOUR.multipliedBy(4)), Optional.empty());
    run(unit, 0, true, Duration.ZERO);
    run(unit, 1, true, Duration.ZERO);
    run(unit, 0, false, HOUR.multipliedBy(3));

    assertThat(unit.lost).isEqualTo(HOUR.multipliedBy(3));
    assertThat(unit.effective(START.plus(HOUR.multipliedBy(3)))).isZero();
  }

  @Test
  void aServiceLosesNothing() {
    WorkUnit unit = unit(Optional.empty(), Optional.empty());
    run(unit, 0, true, Duration.ZERO);
    run(unit, 1, true, Duration.ZERO);
    run(unit, 0, false, HOUR);

    assertThat(unit.lost).isZero();
    assertThat(unit.effective(START.plus(HOUR.multipliedBy(2)))).isEqualTo(HOUR);
    assertThat(unit.existed(START.plus(HOUR.multipliedBy(2)))).isEqualTo(HOUR.multipliedBy(2));
  }
}
