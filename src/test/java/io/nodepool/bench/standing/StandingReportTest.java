package io.nodepool.bench.standing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.WriteTable;
import io.nodepool.kubernetes.client.RequestCounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StandingReportTest {
  private static final RequestCounts NONE = new RequestCounts(new TreeMap<>());

  private static BenchReport report(Map<String, Long> needless) {
    RequestCounts writes = new RequestCounts(new TreeMap<>(needless));
    return new StandingReport(
            100,
            200,
            new StandingReport.Start(
                Duration.ofMillis(1500),
                Duration.ofMillis(2000),
                Duration.ofMillis(1800),
                Duration.ofSeconds(3),
                WriteTable.of(writes, writes, NONE, NONE)),
            new StandingReport.Memory(512 << 20, 30 << 20, 60 << 20, 200 << 20),
            Map.of(
                StandingChanges.Kind.POD_BOUND,
                IntStream.rangeClosed(1, 99).mapToObj(Duration::ofMillis).toList(),
                StandingChanges.Kind.TARGET_MOVED,
                List.of(Duration.ofMillis(700))),
            new OperatorChild.Scrapes(500, 40, 51_200, List.of(Duration.ofMillis(3))),
            Duration.ofSeconds(1))
        .report();
  }

  @Test
  void latenciesAreGivenByKindAndForAll() throws Exception {
    JsonNode json = new ObjectMapper().readTree(report(Map.of()).json());

    assertThat(json.at("/changes").asInt()).isEqualTo(100);
    assertThat(json.at("/latencyMillis/p50").asDouble()).isEqualTo(50);
    assertThat(json.at("/latencyMillis/p99").asDouble()).isEqualTo(99);
    assertThat(json.at("/latencyMillis/max").asDouble()).isEqualTo(700);
    assertThat(json.at("/latencyMillisByKind/podBound/max").asDouble()).isEqualTo(99);
    assertThat(json.at("/planningSeconds").asDouble()).isEqualTo(1.5);
    assertThat(json.at("/series").asInt()).isEqualTo(500);
    assertThat(json.at("/seriesOfPool").asInt()).isEqualTo(40);
    assertThat(json.at("/scrapeKiB").asInt()).isEqualTo(50);
    assertThat(json.at("/scrapeMillis/p50").asDouble()).isEqualTo(3);
    assertThat(json.at("/operatorLiveHeapMiB").asDouble()).isEqualTo(30);
  }

  @Test
  void writesWithoutACauseAreCountedAndShown() throws Exception {
    BenchReport report = report(Map.of("patch nodes", 3L));

    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.at("/needlessWrites").asInt()).isEqualTo(3);
    assertThat(json.at("/needless/0/kind").asText()).isEqualTo("patch nodes");
    assertThat(report.lines()).anyMatch(line -> line.startsWith("patch nodes"));
    assertThat(report(Map.of()).lines()).noneMatch(line -> line.startsWith("patch nodes"));
  }
}
