package io.nodepool.control.state.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodEndingsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private final PodEndings endings = new PodEndings();

  private static final Pod POD = Fixtures.pod("research", "train-0");

  /** A Pod whose deletion the server recorded by a clock that is this far ahead. */
  private static Pod ending(Duration ahead, Duration grace) {
    return Fixtures.ending(POD, new Pod.Ending(NOW.plus(ahead).plus(grace), grace));
  }

  private Optional<Instant> end(Pod pod, boolean watching, Duration later) {
    return endings.local(pod, watching, NOW.plus(later)).deletedAt();
  }

  @Test
  void aPodThatIsNotDeletedStaysAsItIs() {
    assertThat(endings.local(POD, true, NOW)).isEqualTo(POD);
  }

  @Test
  void aGracePeriodThatIsObservedToBeginEndsAfterItsLengthWhateverTheServersClock() {
    for (Duration ahead : new Duration[] {HOUR, Duration.ZERO, HOUR.negated()}) {
      endings.forget(POD.uid());
      Pod pod = ending(ahead, Duration.ofMinutes(10));

      assertThat(end(pod, true, Duration.ZERO)).contains(NOW.plus(Duration.ofMinutes(10)));
      // Observed again, by the watch or in a list, it ends no later.
      assertThat(end(pod, true, Duration.ofMinutes(9))).contains(NOW.plus(Duration.ofMinutes(10)));
    }
  }

  @Test
  void aShortenedGracePeriodEndsSooner() {
    end(ending(HOUR, Duration.ofMinutes(10)), true, Duration.ZERO);

    assertThat(end(ending(HOUR, Duration.ofSeconds(30)), true, Duration.ofMinutes(1)))
        .contains(NOW.plus(Duration.ofSeconds(90)));
  }

  @Test
  void aGracePeriodFoundInProgressEndsAsWrittenOrAfterItsWholeLength() {
    assertThat(end(ending(Duration.ofMinutes(-9), Duration.ofMinutes(10)), false, Duration.ZERO))
        .contains(NOW.plus(Duration.ofMinutes(1)));
    endings.forget(POD.uid());
    assertThat(end(ending(HOUR, Duration.ofMinutes(10)), false, Duration.ZERO))
        .contains(NOW.plus(Duration.ofMinutes(10)));
    // The end that was found stays after the process has begun to watch.
    assertThat(end(ending(HOUR, Duration.ofMinutes(10)), true, Duration.ofMinutes(5)))
        .contains(NOW.plus(Duration.ofMinutes(10)));
  }
}
