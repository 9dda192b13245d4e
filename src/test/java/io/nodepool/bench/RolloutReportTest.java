package io.nodepool.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.WriteTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RolloutReportTest {
  private static final BenchReport REPORT =
      new RolloutBench(5)
          .report(
              10,
              new Measured(
                  Duration.ofSeconds(20),
                  new WriteTable(
                      List.of(
                          new WriteTable.Row("create events", 40, 0, 5),
                          new WriteTable.Row("patch nodes", 30, 0, 10),
                          new WriteTable.Row("patch hosts/status", 0, 20, 0))),
                  1,
                  0,
                  Map.of("operator", Duration.ofMillis(500)),
                  3.5 * 1024 * 1024));

  @Test
  void theFiguresAreForEachNodeWithEventsAndWithout() throws Exception {
    JsonNode json = new ObjectMapper().readTree(REPORT.json());

    assertThat(json.path("nodesPerSecond").asDouble()).isEqualTo(0.5);
    assertThat(json.path("operatorWritesPerNode").asDouble()).isEqualTo(7);
    assertThat(json.path("operatorWritesPerNodeWithoutEvents").asDouble()).isEqualTo(3);
    assertThat(json.path("writesPerNode").asDouble()).isEqualTo(10.5);
    assertThat(json.path("operatorCpuMillisPerNode").asDouble()).isEqualTo(50);
    assertThat(json.path("refusedWrites").asInt()).isOne();
  }

  @Test
  void theTableHasItsSum() {
    assertThat(REPORT.lines())
        .contains("A configuration was rolled out over 10 Nodes, at most 5 unavailable.")
        .contains(
            "all                                      70           20           15          105");
  }
}
