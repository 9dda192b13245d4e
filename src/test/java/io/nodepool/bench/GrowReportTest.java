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

class GrowReportTest {
  private static final BenchReport REPORT =
      new GrowBench.Grown(
              new Measured(
                  Duration.ofMillis(3_000),
                  new WriteTable(
                      List.of(
                          new WriteTable.Row("create nodes", 0, 4, 0),
                          new WriteTable.Row("patch nodes", 10, 0, 4))),
                  1,
                  0,
                  Map.of("operator", Duration.ofMillis(1_250), "etcd", Duration.ofMillis(500)),
                  3.5 * 1024 * 1024),
              Duration.ofMillis(3_500),
              0,
              Duration.ofSeconds(30))
          .report(
              4, new Replayed(Duration.ofMillis(2_000), Map.of("etcd", Duration.ofMillis(400))));

  @Test
  void theFiguresAreInTheJson() throws Exception {
    JsonNode json = new ObjectMapper().readTree(REPORT.json());

    assertThat(json.path("nodes").asInt()).isEqualTo(4);
    assertThat(json.path("seconds").asDouble()).isEqualTo(3);
    assertThat(json.path("rawSeconds").asDouble()).isEqualTo(2);
    assertThat(json.path("ratio").asDouble()).isEqualTo(1.5);
    assertThat(json.path("operatorWritesPerNode").asDouble()).isEqualTo(2.5);
    assertThat(json.path("writesPerNode").asDouble()).isEqualTo(4.5);
    assertThat(json.path("idleWrites").asInt()).isZero();
    assertThat(json.path("operatorCpuSeconds").asDouble()).isEqualTo(1.25);
    assertThat(json.path("operatorPeakHeapMiB").asDouble()).isEqualTo(3.5);
    assertThat(json.at("/writes/1/kind").asText()).isEqualTo("patch nodes");
    assertThat(json.at("/writes/1/controlPlane").asInt()).isEqualTo(4);
    assertThat(json.at("/rawCpuSeconds/etcd").asDouble()).isEqualTo(0.4);
    assertThat(json.at("/cpuSeconds/operator").asDouble()).isEqualTo(1.25);
    assertThat(json.path("settledSeconds").asDouble()).isEqualTo(3.5);
    assertThat(json.path("restSeconds").asInt()).isEqualTo(30);
    assertThat(json.path("refusedWrites").asInt()).isOne();
  }

  @Test
  void theJsonIsOneLine() {
    assertThat(REPORT.json()).doesNotContain("\n");
  }

  @Test
  void theTableHasItsSum() {
    assertThat(REPORT.lines())
        .contains("ratio of the two                               1.50")
        .contains(
            "patch nodes                              10            0            4           14")
        .contains(
            "all                                      10            4            4           18")
        .contains("etcd                                    0.5          0.4");
  }
}
