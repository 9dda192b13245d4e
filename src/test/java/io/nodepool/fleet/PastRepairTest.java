package io.nodepool.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PastRepairTest {
  private static final Instant NOW = Instant.parse("2026-01-02T10:00:00Z");

  private static PastRepair at(String alert, Duration ago) {
    return new PastRepair(alert, "pool-uid", NOW.minus(ago), false, false, true);
  }

  private static List<PastRepair> amid(PastRepair entry, List<PastRepair> others) {
    return entry.amid(others, NOW, PastRepair.WINDOW);
  }

  @Test
  void theyAreInTheOrderOfTheirTimes() {
    PastRepair first = at("B", Duration.ofHours(2));
    PastRepair second = at("A", Duration.ofHours(1));
    PastRepair third = at("A", Duration.ZERO);

    assertThat(amid(third, List.of(second, first))).containsExactly(first, second, third);
    assertThat(amid(first, List.of(third, second))).containsExactly(first, second, third);
  }

  @Test
  void whatCountsNoMoreGoes() {
    PastRepair past = at("A", PastRepair.WINDOW);
    PastRepair recent = at("A", PastRepair.WINDOW.minusNanos(1));
    PastRepair now = at("A", Duration.ZERO);

    assertThat(amid(now, List.of(past, recent))).containsExactly(recent, now);
    assertThat(now.amid(List.of(recent), NOW, Duration.ofHours(1))).containsExactly(now);
  }

  @Test
  void theSameOneIsReplaced() {
    PastRepair first = at("A", Duration.ZERO);
    PastRepair ofOtherPool = new PastRepair("A", "z", NOW, true, false, false);
    PastRepair proved = new PastRepair("A", "pool-uid", NOW, true, true, true);

    assertThat(amid(proved, List.of(first, ofOtherPool))).containsExactly(proved, ofOtherPool);
  }

  @Test
  void ofTooManyTheOldestGoes() {
    List<PastRepair> all = List.of();
    for (int i = PastRepair.REMEMBERED; i >= 0; i--) {
      all = amid(at("A", Duration.ofMinutes(i)), all);
    }

    assertThat(all)
        .hasSize(PastRepair.REMEMBERED)
        .startsWith(at("A", Duration.ofMinutes(PastRepair.REMEMBERED - 1)))
        .endsWith(at("A", Duration.ZERO));
  }
}
