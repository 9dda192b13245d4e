package io.nodepool.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.report.BenchReport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeoverReportTest {
  private static BenchReport report(List<String> wrong) {
    return new TakeoverBench.TakenOver(
            Duration.ofMillis(16_250), Duration.ofMillis(1_500), true, wrong)
        .report(5);
  }

  @Test
  void theFiguresAreInTheJson() throws Exception {
    JsonNode json = new ObjectMapper().readTree(report(List.of("3 Nodes exist, not 2.")).json());

    assertThat(json.path("nodes").asInt()).isEqualTo(5);
    assertThat(json.path("killSeconds").asDouble()).isEqualTo(16.25);
    assertThat(json.path("stopSeconds").asDouble()).isEqualTo(1.5);
    assertThat(json.path("leaseGivenBack").asBoolean()).isTrue();
    assertThat(json.at("/doubledOrMissing/0").asText()).isEqualTo("3 Nodes exist, not 2.");
  }

  @Test
  void theReportListsWhatIsWrong() {
    assertThat(report(List.of()).lines()).contains("Nothing is duplicated or missing.");
    assertThat(report(List.of("3 Nodes exist, not 2.")).lines())
        .contains("Wrong at the end:", "  3 Nodes exist, not 2.");
    assertThat(report(List.of()).isRight()).isTrue();
    assertThat(report(List.of("3 Nodes exist, not 2.")).isRight()).isFalse();
  }
}
