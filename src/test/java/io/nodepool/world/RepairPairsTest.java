package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a Node with a repair and another cause, as the page has it. */
@Tag("world")
class RepairPairsTest {
  @Test
  void eachPairEndsAsThePageSays() {
    assertThat(RepairPairs.played()).containsExactlyElementsOf(RepairPairs.rows());
  }
}
