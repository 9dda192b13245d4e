package io.nodepool.bench.signals;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.signals.SignalsReport.Counts;
import io.nodepool.bench.signals.SignalsReport.Lag;
import io.nodepool.bench.signals.SignalsReport.Stored;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SignalsReportTest {
  private static final double MIB = 1024 * 1024;

  private static Stored stored(long changes, long patchesAtEnd, long patches) {
    return new Stored(
        new AlertSender.Sent(
            2000, changes, Map.of(200, 9L, 503, 4L), List.of(Duration.ofMillis(30)), Map.of()),
        new Counts(100, new Lag(10, 1, 3), Duration.ofSeconds(2), 5 * MIB),
        new Counts(100 + patchesAtEnd, new Lag(15, 1.5, 3), Duration.ofSeconds(3), 6 * MIB),
        new Counts(100 + patches, new Lag(20, 2, 0.5), Duration.ofSeconds(5), 8 * MIB),
        Duration.ofSeconds(12),
        List.of(Duration.ofMillis(40)));
  }

  private static BenchReport report(Stored repeated, List<String> wrong) {
    return new SignalsReport(
            25,
            Duration.ofSeconds(10),
            new SignalsReport.Loaded(
                repeated,
                stored(1000, 600, 700),
                new SignalsReport.Resources(MIB, 2 * MIB, MIB, 9 * MIB),
                List.of(),
                wrong),
            new SignalsReport.Raw(400, Duration.ofSeconds(5)))
        .report();
  }

  @Test
  void theRateIsThatUntilTheRoundsEnded() throws Exception {
    JsonNode json = new ObjectMapper().readTree(report(stored(100, 90, 95), List.of()).json());

    assertThat(json.path("storedPerSecond").asDouble()).isEqualTo(60);
    assertThat(json.path("rawPerSecond").asDouble()).isEqualTo(80);
    assertThat(json.path("ratio").asDouble()).isEqualTo(0.75);
    assertThat(json.path("changedPatches").asInt()).isEqualTo(700);
    assertThat(json.path("changedRefused").asInt()).isEqualTo(4);
    assertThat(json.path("changedAlertsPerSecond").asDouble()).isEqualTo(200);
    assertThat(json.path("repeatedPlanningDelayMillis").asDouble()).isEqualTo(100);
    assertThat(json.path("repeatedLongestPlanningDelayMillis").asDouble()).isEqualTo(500);
    assertThat(json.path("repeatedCpuSeconds").asDouble()).isEqualTo(3);
    assertThat(json.path("repeatedEtcdMiB").asDouble()).isEqualTo(3);
    assertThat(json.path("needlessWrites").asInt()).isZero();
    assertThat(json.at("/alertToConditionMillis/p99").asDouble()).isEqualTo(40);
  }

  @Test
  void whatIsWrittenForRepeatsAndWhatIsMissingIsReported() throws Exception {
    BenchReport report = report(stored(100, 90, 103), List.of("it is missing"));
    JsonNode json = new ObjectMapper().readTree(report.json());

    assertThat(json.path("needlessWrites").asInt()).isEqualTo(3);
    assertThat(json.path("missing").get(0).asText()).isEqualTo("it is missing");
    assertThat(report.isRight()).isFalse();
    assertThat(report(stored(1, 1, 1), List.of()).isRight()).isTrue();
  }
}
