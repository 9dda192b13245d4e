package io.nodepool.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.Replayed;
import io.nodepool.bench.report.WriteTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShrinkReportTest {
  private static final BenchReport REPORT =
      new ShrinkBench(6, 5)
          .report(
              10,
              new Measured(
                  Duration.ofSeconds(8),
                  new WriteTable(
                      List.of(
                          new WriteTable.Row("create events", 12, 0, 4),
                          new WriteTable.Row("patch nodes", 8, 0, 0),
                          new WriteTable.Row("create pods/eviction", 2, 0, 0))),
                  0,
                  9,
                  Map.of("operator", Duration.ofMillis(1_250)),
                  3.5 * 1024 * 1024),
              new Replayed(Duration.ofSeconds(2), Map.of("operator", Duration.ZERO)));

  @Test
  void evictionsDoNotCountAsWritesPerRemovedNode() throws Exception {
    JsonNode json = new ObjectMapper().readTree(REPORT.json());

    assertThat(json.path("seconds").asDouble()).isEqualTo(8);
    assertThat(json.path("evictions").asInt()).isEqualTo(2);
    assertThat(json.path("evictionsPerSecond").asDouble()).isEqualTo(0.25);
    assertThat(json.path("removedPerSecond").asDouble()).isEqualTo(0.5);
    assertThat(json.path("operatorWritesPerRemovedNode").asDouble()).isEqualTo(5);
    assertThat(json.path("operatorEventsPerRemovedNode").asDouble()).isEqualTo(3);
    assertThat(json.path("writesPerRemovedNode").asDouble()).isEqualTo(6.5);
    assertThat(json.path("operatorCpuSeconds").asDouble()).isEqualTo(1.25);
  }

  @Test
  void aPlainClientIsComparedAsForAGrowth() throws Exception {
    JsonNode json = new ObjectMapper().readTree(REPORT.json());

    assertThat(json.path("rawSeconds").asDouble()).isEqualTo(2);
    assertThat(json.path("ratio").asDouble()).isEqualTo(4);
    assertThat(json.path("podLists").asInt()).isEqualTo(9);
    assertThat(json.at("/rawCpuSeconds/operator").isNumber()).isTrue();
    assertThat(REPORT.lines()).contains("ratio of the two                               4.00");
  }

  @Test
  void theTableHasItsSum() {
    assertThat(REPORT.lines())
        .contains("A pool shrank from 10 to 6 Nodes, 5 of them busy.")
        .contains("evictions                                         2")
        .contains(
            "all                                      22            0            4           26");
  }
}
