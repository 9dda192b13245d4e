package io.nodepool.plan.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a Node may leave whose machine did not come back from its reboot (decision D221). */
class LostNodesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  @ParameterizedTest
  @CsvSource({
    // let go in a row, leaving the pool, at most, leaving all pools, seconds until the rate |
    // answer
    "0, 0, 1,  0,  0, admitted",
    "0, 0, 1,  0,  1, RATE 1/1",
    "0, 0, 1,  0, 60, RATE 1/1",
    "1, 0, 1,  0,  0, admitted",
    "2, 0, 1,  0,  0, admitted",
    "3, 0, 1,  0,  0, IN_A_ROW 3/3",
    "3, 1, 1, 10, 60, IN_A_ROW 3/3",
    "1, 1, 1,  1,  0, IN_FLIGHT 1/1",
    "1, 1, 2,  1,  0, admitted",
    "2, 2, 2,  2,  0, IN_FLIGHT 2/2",
    "0, 0, 1,  9,  0, admitted",
    "0, 0, 1, 10,  0, IN_FLIGHT_IN_FLEET 10/10",
    "0, 0, 1, 10, 30, IN_FLIGHT_IN_FLEET 10/10",
    "1, 1, 1, 10,  0, IN_FLIGHT 1/1",
  })
  void oneMayLeave(int row, int inPool, int most, int inFleet, int seconds, String expected) {
    Decision counted = RepairLimits.decision(inPool, most, inFleet, NOW.plusSeconds(seconds), NOW);

    assertThat(text(LostNodes.decision(row, counted))).isEqualTo(expected);
  }

  private static String text(Decision decision) {
    return switch (decision) {
      case Decision.Admitted _ -> "admitted";
      case Decision.Held(var limit, int count, int most) ->
          "%s %d/%d".formatted(limit, count, most);
    };
  }
}
