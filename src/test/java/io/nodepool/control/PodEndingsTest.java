package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodEndingsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private final PodEndings endings = new PodEndings();

  private static Pod pod(Optional<Pod.Ending> ending) {
    return new Pod(
        "research",
        "train-0",
        "p-1",
        1,
        "g1",
        "Job",
        "train",
        false,
        false,
        Duration.ofMinutes(10),
        Pod.Interruption.NONE,
        true,
        false,
        ending);
  }

  /** A Pod whose deletion the server noted by a clock that is so far ahead. */
  private static Pod ending(Duration ahead, Duration grace) {
    return pod(Optional.of(new Pod.Ending(NOW.plus(ahead).plus(grace), grace)));
  }

  private Optional<Instant> end(Pod pod, boolean watching, Duration later) {
    return endings.local(pod, watching, NOW.plus(later)).deletedAt();
  }

  @Test
  void aPodThatIsNotDeletedStaysAsItIs() {
    assertThat(endings.local(pod(Optional.empty()), true, NOW)).isEqualTo(pod(Optional.empty()));
  }

  @Test
  void aGraceThatIsSeenToBeginEndsAfterItsLengthWhateverTheServersClock() {
    for (Duration ahead : new Duration[] {HOUR, Duration.ZERO, HOUR.negated()}) {
      endings.forget("p-1");
      Pod pod = ending(ahead, Duration.ofMinutes(10));

      assertThat(end(pod, true, Duration.ZERO)).contains(NOW.plus(Duration.ofMinutes(10)));
      // Seen again, by the watch or in a list, it ends no later.
      assertThat(end(pod, true, Duration.ofMinutes(9))).contains(NOW.plus(Duration.ofMinutes(10)));
    }
  }

  @Test
  void aGraceThatIsMadeShorterEndsSooner() {
    end(ending(HOUR, Duration.ofMinutes(10)), true, Duration.ZERO);

    assertThat(end(ending(HOUR, Duration.ofSeconds(30)), true, Duration.ofMinutes(1)))
        .contains(NOW.plus(Duration.ofSeconds(90)));
  }

  @Test
  void aGraceThatIsFoundUnderWayEndsAsWrittenOrAfterItsWholeLength() {
    assertThat(end(ending(Duration.ofMinutes(-9), Duration.ofMinutes(10)), false, Duration.ZERO))
        .contains(NOW.plus(Duration.ofMinutes(1)));
    endings.forget("p-1");
    assertThat(end(ending(HOUR, Duration.ofMinutes(10)), false, Duration.ZERO))
        .contains(NOW.plus(Duration.ofMinutes(10)));
    // What was found stays, now that the process watches.
    assertThat(end(ending(HOUR, Duration.ofMinutes(10)), true, Duration.ofMinutes(5)))
        .contains(NOW.plus(Duration.ofMinutes(10)));
  }
}
