package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

  private long nanos = Long.MAX_VALUE - 5;
  private Instant wall = START;
  private final SteadyClock clock = new SteadyClock(() -> wall, () -> nanos);

  /** Advances both clocks. */
  private void pass(Duration time) {
    nanos += time.toNanos();
    wall = wall.plus(time);
  }

  private Duration passed() {
    return Duration.between(START, clock.instant());
  }

  @Test
  void itReturnsTheWallClocksTimeWhileThatIsRight() {
    assertThat(clock.instant()).isEqualTo(START);

    pass(Duration.ofMinutes(5));
    assertThat(clock.instant()).isEqualTo(wall);
    pass(Duration.ofNanos(1));
    assertThat(clock.instant()).isEqualTo(wall);
  }

  @Test
  void aWallClockThatIsSetForwardIsFollowedByOnePercent() {
    wall = wall.plus(Duration.ofHours(1));
    assertThat(passed()).isZero();

    pass(Duration.ofMinutes(100));
    assertThat(passed()).isEqualTo(Duration.ofMinutes(101));

    pass(Duration.ofHours(98));
    assertThat(clock.instant()).isBefore(wall);
    pass(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(wall);
    pass(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(wall);
  }

  @Test
  void aWallClockThatIsSetBackSlowsItByOnePercentAndNeverTurnsItBack() {
    wall = wall.minus(Duration.ofHours(1));
    assertThat(passed()).isZero();

    pass(Duration.ofMinutes(100));
    assertThat(passed()).isEqualTo(Duration.ofMinutes(99));

    Instant before = clock.instant();
    for (int i = 0; i < 1000; i++) {
      pass(Duration.ofNanos(i));
      wall = wall.minusSeconds(1);
      assertThat(clock.instant()).isAfterOrEqualTo(before);
      before = clock.instant();
    }
  }

  @Test
  void aWallClockThatStandsStillDoesNotStopIt() {
    nanos += Duration.ofMinutes(100).toNanos();
    assertThat(passed()).isEqualTo(Duration.ofMinutes(99));
  }

  @Test
  void aWallClockThatIsCenturiesOffIsFollowedNoFaster() {
    wall = Instant.EPOCH.minus(Duration.ofDays(400_000));
    pass(Duration.ofMinutes(100));
    assertThat(passed()).isEqualTo(Duration.ofMinutes(99));
  }
}
