package io.nodepool.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WriteTableTest {
  private static RequestCounts counts(Map<String, Long> counts) {
    return new RequestCounts(new TreeMap<>(counts));
  }

  @Test
  void writesOfNoKnownClientCountForKubernetes() {
    WriteTable table =
        WriteTable.of(
            counts(Map.of("patch nodes", 9L, "create nodes", 4L, "create nodepools", 1L)),
            counts(Map.of("patch nodes", 2L)),
            counts(Map.of("create nodes", 4L)),
            counts(Map.of("create nodepools", 1L)));

    assertThat(table.rows())
        .containsExactly(
            new WriteTable.Row("patch nodes", 2, 0, 7),
            new WriteTable.Row("create nodes", 0, 4, 0));
    assertThat(table.operator()).isEqualTo(2);
    assertThat(table.sum()).isEqualTo(new WriteTable.Row("all", 2, 4, 7));
    assertThat(table.total()).isEqualTo(13);
    assertThat(table.all().byKind()).isEqualTo(Map.of("patch nodes", 9L, "create nodes", 4L));
  }

  @Test
  void aCountIsNeverNegative() {
    WriteTable table =
        WriteTable.of(
            counts(Map.of("patch nodes", 1L)),
            counts(Map.of("patch nodes", 2L)),
            counts(Map.of()),
            counts(Map.of()));

    assertThat(table.rows()).containsExactly(new WriteTable.Row("patch nodes", 2, 0, 0));
  }
}
