package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What becomes of a Node with a repair and another cause, or with two repairs, as the page has it.
 * {@code -Dpairs.write=true} writes what is played instead.
 */
@Tag("world")
class RepairPairsTest {
  @Test
  void eachPairEndsAsThePageSays() throws IOException {
    List<RepairPairs.Row> played = RepairPairs.played();
    write("repair-pairs.txt", played.stream().map(RepairPairs.Row::cells).toList());
    assertThat(played).containsExactlyElementsOf(RepairPairs.rows());
  }

  @Test
  void eachPairOfGradesEndsAsThePageSays() throws IOException {
    List<GradePairs.Row> played = GradePairs.played();
    write("grade-pairs.txt", played.stream().map(GradePairs.Row::cells).toList());
    assertThat(played).containsExactlyElementsOf(GradePairs.rows());
  }

  private static void write(String name, List<List<String>> rows) throws IOException {
    if (Boolean.getBoolean("pairs.write")) {
      Files.write(
          Path.of("src/test/resources", name),
          rows.stream().map(cells -> String.join(" | ", cells)).toList());
    }
  }
}
