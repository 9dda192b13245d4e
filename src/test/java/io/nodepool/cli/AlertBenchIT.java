package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.cli.command.ExitCodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The measurements of alerts and repairs, as in {@link BenchCommandIT}. */
@Tag("benchmark")
class AlertBenchIT extends MeasuringCommand {
  private static final int NODES = 20;

  @Test
  void alertsAreStoredAsTheyWereSentAndRepeatsWriteNothing() throws Exception {
    int code = run("bench", "signals", "--nodes", "" + NODES, "--seconds", "16", "--json");

    assertThat(code).as(err + "" + out).isEqualTo(ExitCodes.DONE);
    assertThat(out.toString().lines()).hasSize(1);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.path("missing")).isEmpty();
    assertThat(report.path("needlessWrites").asInt()).as(out.toString()).isZero();
    // A round of eight groups at least, one alert in ten of which changes.
    assertThat(report.path("repeatedChanges").asInt()).isGreaterThanOrEqualTo(8 * NODES / 10);
    assertThat(report.path("repeatedPatches").asInt()).isPositive();
    assertThat(report.path("changedChanges").asInt()).isGreaterThanOrEqualTo(8 * NODES);
    // Seven groups of eight have new alerts, each of which becomes a condition.
    assertThat(report.at("/alertToConditionMillis/changes").asInt())
        .isGreaterThanOrEqualTo(7 * NODES / 10);
    assertThat(report.path("storedPerSecond").asDouble()).isPositive();
    assertThat(report.path("ratio").asDouble()).isPositive();
    assertThat(report.path("operatorLiveHeapMiB").asDouble()).isPositive();
    assertThat(report.path("changedEtcdMiB").isNumber()).isTrue();
  }

  @Test
  void aRepairIsOneBootAndAlertsCordonTheirNodes() throws Exception {
    int code = run("bench", "repair", "--nodes", "40", "--json");

    assertThat(code).as(err + "" + out).isEqualTo(ExitCodes.DONE);
    assertThat(out.toString().lines()).hasSize(1);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.path("repairSeconds").asDouble()).isPositive();
    assertThat(operator(report, "patch hosts")).isOne();
    assertThat(report.path("repairWritesWithoutEvents").asInt())
        .isPositive()
        .isLessThan(report.path("repairWrites").asInt());
    assertThat(report.at("/singleMillis/changes").asInt()).isEqualTo(2);
    assertThat(report.at("/burstMillis/changes").asInt()).isEqualTo(6);
  }
}
