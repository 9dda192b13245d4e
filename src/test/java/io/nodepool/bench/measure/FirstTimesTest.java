package io.nodepool.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FirstTimesTest {
  private final FirstTimes times = new FirstTimes();

  @Test
  void onlyTheFirstTimeCounts() {
    assertThat(times.at("a")).isEmpty();
    times.see("a");
    long first = times.at("a").orElseThrow();

    times.see("a");

    assertThat(times.at("a")).hasValue(first);
    assertThat(times.hasAll(Set.of("a"))).isTrue();
    assertThat(times.hasAll(Set.of("a", "b"))).isFalse();
  }

  @Test
  void timesAreCountedFromAMomentAndAreNeverNegative() {
    times.see("a");
    long seen = times.at("a").orElseThrow();

    assertThat(times.since(Map.of("a", seen - 5, "b", 0L))).containsExactly(Duration.ofNanos(5));
    assertThat(times.since(Map.of("a", seen + 5))).containsExactly(Duration.ZERO);
  }
}
