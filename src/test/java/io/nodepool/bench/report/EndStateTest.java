package io.nodepool.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class EndStateTest {
  private static final Map<String, Integer> TOLD =
      Map.of(
          "CWNodePoolCreated", 1,
          "CWNodeRequestQueued", 2,
          "CWNodeAssigned", 2,
          "CWNodeRegistered", 2,
          "CWNodePoolScaledUp", 1);

  @Test
  void whatIsAsItShouldBeIsNotWrong() {
    EndState state =
        new EndState(
            Map.of("a", 1L, "b", 1L), Map.of("a", "u1", "b", "u2"), TOLD, Map.of("a", 1, "b", 1));

    assertThat(state.wrong(2, 1)).isEmpty();
  }

  @Test
  void aHostThatWasAssignedTwiceIsFound() {
    EndState state =
        new EndState(
            Map.of("a", 2L, "b", 1L), Map.of("a", "u1", "b", "u2"), TOLD, Map.of("a", 1, "b", 1));

    assertThat(state.wrong(2, 1)).containsExactly("3 assignments were made, not 2.");
  }

  @Test
  void twoNodesOfOneHostAreFound() {
    EndState state =
        new EndState(
            Map.of("a", 1L, "b", 1L), Map.of("a", "u1", "b", "u1"), TOLD, Map.of("a", 1, "b", 1));

    assertThat(state.wrong(2, 1)).containsExactly("1 Hosts have a Node, not 2.");
  }

  @Test
  void anEventThatWasReportedTwiceOrNotAtAllIsFound() {
    EndState state =
        new EndState(
            Map.of("a", 1L, "b", 1L), Map.of("a", "u1", "b", "u2"), TOLD, Map.of("a", 1, "b", 2));

    assertThat(state.wrong(2, 2))
        .containsExactly(
            "3 registrations of Nodes were told, not 2.", "1 CWNodePoolScaledUp were told, not 2.");
  }
}
