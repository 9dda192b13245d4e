package io.nodepool.bench.repair;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.WriteTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepairFiguresTest {
  private static final BenchReport REPORT =
      new RepairFigures(
              1000,
              new Measured(
                  Duration.ofSeconds(70),
                  new WriteTable(
                      List.of(
                          new WriteTable.Row("create events", 5, 0, 1),
                          new WriteTable.Row("patch nodes", 4, 0, 1),
                          new WriteTable.Row("patch hosts", 2, 0, 0))),
                  0,
                  0,
                  Map.of("operator", Duration.ofMillis(500)),
                  3.5 * 1024 * 1024),
              List.of(Duration.ofMillis(20), Duration.ofMillis(40)),
              IntStream.rangeClosed(1, 100).mapToObj(Duration::ofMillis).toList())
          .report();

  @Test
  void writesAreCountedWithEventsAndWithout() throws Exception {
    JsonNode json = new ObjectMapper().readTree(REPORT.json());

    assertThat(json.path("repairWrites").asInt()).isEqualTo(11);
    assertThat(json.path("repairWritesWithoutEvents").asInt()).isEqualTo(6);
    assertThat(json.path("repairSeconds").asDouble()).isEqualTo(70);
    assertThat(json.path("writes")).hasSize(3);
  }

  @Test
  void latenciesAreGivenForSingleAlertsAndForMany() throws Exception {
    JsonNode json = new ObjectMapper().readTree(REPORT.json());

    assertThat(json.at("/singleMillis/p50").asDouble()).isEqualTo(20);
    assertThat(json.at("/singleMillis/max").asDouble()).isEqualTo(40);
    assertThat(json.at("/burstMillis/p99").asDouble()).isEqualTo(99);
    assertThat(json.at("/burstMillis/changes").asInt()).isEqualTo(100);
  }

  @Test
  void allPartsTogetherAreAsManyAsTheLevelAdmits() {
    assertThat(RepairBench.quiet(1000) + RepairBench.burst(1000)).isEqualTo(200);
    assertThat(RepairBench.quiet(RepairBench.FEWEST)).isPositive();
    assertThat(RepairBench.burst(RepairBench.FEWEST)).isPositive();
  }
}
