package io.nodepool.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How often a component is repaired (decision D34). */
class ComponentAttemptsTest {
  private static final Instant START = Instant.parse("2026-11-21T05:00:00Z");

  /** When attempts are made for an alert that stands at these hours, unless one was the last. */
  private static List<Integer> attempts(int... hours) {
    List<Integer> made = new ArrayList<>();
    Optional<ComponentRepair> last = Optional.empty();
    for (int hour : hours) {
      Instant now = START.plus(Duration.ofHours(hour));
      if (last.filter(each -> each.isLast(ComponentRepair.WINDOW, now)).isEmpty()) {
        last = Optional.of(ComponentRepair.next(last, "DPURouteCountMismatch", "dpu0", now));
        made.add(hour);
      }
    }
    return made;
  }

  @Test
  void threeAttemptsAreMadeWithinAnyDay() {
    assertThat(attempts(0, 1, 2, 3, 23, 24, 25, 26, 27)).containsExactly(0, 1, 2, 24, 25, 26);
    assertThat(attempts(0, 22, 23, 25, 26, 45, 46, 47, 48)).containsExactly(0, 22, 23, 25, 46, 47);
  }

  @Test
  void attemptsThatLieFurtherApartAreNeverTheLast() {
    assertThat(attempts(0, 12, 24, 36, 48, 60)).containsExactly(0, 12, 24, 36, 48, 60);
  }

  @Test
  void noTwoAttemptsHaveTheSameNumber() {
    ComponentRepair first = ComponentRepair.next(Optional.empty(), "Alert", "", START);
    ComponentRepair dayLater =
        ComponentRepair.next(Optional.of(first), "Alert", "", START.plus(Duration.ofDays(2)));
    assertThat(dayLater.attempt()).isEqualTo(2);
    // What the fleet answered to the first one is no answer to this one.
    assertThat(
            dayLater.answer(List.of(new ComponentRepair.RepairAnswer("Alert", 1, true, START, ""))))
        .isEmpty();
  }
}
