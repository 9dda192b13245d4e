package io.nodepool.plugin.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.PlanToken;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of the loss of one more machine. */
class ForecastTextTest {
  private static Forecast atEnd(int nodes, int notReady, String... lacks) {
    return new Forecast(
        List.of(),
        List.of(new Forecast.PoolAtEnd("a", nodes, notReady, 3, true, List.of(lacks), true)),
        PlanToken.of(List.of()));
  }

  @Test
  void fewerReadyNodesAndWhatIsNewAreNamed() {
    assertThat(
            ForecastText.fragile(
                "a", "g1", atEnd(3, 0, "Quota Over: x"), atEnd(3, 1, "Quota Over: x")))
        .hasValue("fragile        if g1 is lost too: NodePool a has 3 of 3 Nodes, 1 not Ready");
    assertThat(ForecastText.fragile("a", "g1", atEnd(3, 0), atEnd(3, 0, "RepairsHeld True: y")))
        .hasValue(
            "fragile        if g1 is lost too: NodePool a has 3 of 3 Nodes; RepairsHeld True: y");
  }

  @Test
  void nothingIsSaidIfThatChangesNothing() {
    assertThat(ForecastText.fragile("a", "g1", atEnd(2, 0, "z"), atEnd(2, 0, "z"))).isEmpty();
  }
}
