package io.nodepool.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class EndStateTest {
  private static final Map<String, Integer> EVENTS =
      Map.of(
          "CWNodePoolCreated", 1,
          "CWNodeRequestQueued", 2,
          "CWNodeAssigned", 2,
          "CWNodeRegistered", 2,
          "CWNodePoolScaledUp", 1);

  @Test
  void anExpectedStateHasNoDifferences() {
    EndState state =
        new EndState(
            Map.of("a", 1L, "b", 1L), Map.of("a", "u1", "b", "u2"), EVENTS, Map.of("a", 1, "b", 1));

    assertThat(state.wrong(2, 1)).isEmpty();
  }

  @Test
  void aHostThatWasAssignedTwiceIsFound() {
    EndState state =
        new EndState(
            Map.of("a", 2L, "b", 1L), Map.of("a", "u1", "b", "u2"), EVENTS, Map.of("a", 1, "b", 1));

    assertThat(state.wrong(2, 1)).containsExactly("3 assignments were made, not 2.");
  }

  @Test
  void twoNodesOfOneHostAreFound() {
    EndState state =
        new EndState(
            Map.of("a", 1L, "b", 1L), Map.of("a", "u1", "b", "u1"), EVENTS, Map.of("a", 1, "b", 1));

    assertThat(state.wrong(2, 1)).containsExactly("1 Hosts have a Node, not 2.");
  }

  @Test
  void anEventThatWasEmittedTwiceOrNotAtAllIsFound() {
    EndState state =
        new EndState(
            Map.of("a", 1L, "b", 1L), Map.of("a", "u1", "b", "u2"), EVENTS, Map.of("a", 1, "b", 2));

    assertThat(state.wrong(2, 2))
        .containsExactly(
            "3 Events CWNodeRegistered were emitted on Nodes, not 2.",
            "1 CWNodePoolScaledUp were emitted, not 2.");
  }
}
