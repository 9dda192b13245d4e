package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.cli.command.ExitCodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The measurements are complete and consistent; the figures themselves are not tested. */
@Tag("benchmark")
class BenchCommandIT extends MeasuringCommand {
  private static final int NODES = 20;

  @Test
  void theReportOfAGrowthIsCompleteAndConsistent() throws Exception {
    int code = run("bench", "grow", "--nodes", "" + NODES, "--rest", "2", "--json");

    assertThat(code).as(err.toString()).isEqualTo(ExitCodes.DONE);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(report.path("nodes").asInt()).isEqualTo(NODES);
    assertThat(report.path("seconds").asDouble()).isPositive();
    assertThat(report.path("rawSeconds").asDouble()).isPositive();
    assertThat(report.path("settledSeconds").asDouble())
        .isGreaterThanOrEqualTo(report.path("seconds").asDouble());
    // When the controllers of Kubernetes write depends on the load of the machine.
    // OperatorRuntimeIT shows that the operator is at rest.
    assertThat(report.path("idleWrites").isInt()).isTrue();
    assertThat(report.path("operatorCpuSeconds").asDouble()).isPositive();
    assertThat(report.path("operatorPeakHeapMiB").asDouble()).isPositive();
    // The operator assigns each Host, emits an Event on each Node and registers it; the data centre
    // boots the machine and creates the Node.
    assertThat(operator(report, "patch hosts")).isEqualTo(NODES);
    assertThat(operator(report, "patch nodes/status")).isEqualTo(NODES);
    assertThat(operator(report, "create events")).isGreaterThanOrEqualTo(NODES);
    assertThat(row(report, "create nodes").path("dataCentre").asInt()).isEqualTo(NODES);
    assertThat(row(report, "patch hosts/status").path("dataCentre").asInt()).isEqualTo(NODES);
    // Both sides count what the operator applies as such, so no other client has a share in it.
    assertThat(operator(report, "apply nodepools/status")).isPositive();
    assertThat(row(report, "apply nodepools/status").path("controlPlane").asInt()).isZero();
    assertThat(report.path("operatorWritesPerNode").asDouble())
        .isLessThan(report.path("writesPerNode").asDouble());
  }

  @Test
  void theReportOfAShrinkingCountsFiveWritesOfObjectsForEachRemovedNode() throws Exception {
    int code =
        run("bench", "shrink", "--nodes", "" + NODES, "--to", "2", "--busy", "0.5", "--json");

    assertThat(code).as(err.toString()).isEqualTo(ExitCodes.DONE);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    int removed = NODES - 2;
    assertThat(report.path("removedPerSecond").asDouble()).isPositive();
    assertThat(report.path("evictions").asInt()).isEqualTo(NODES / 2 - 2);
    assertThat(operator(report, "delete nodes")).isEqualTo(removed);
    assertThat(operator(report, "patch hosts")).isEqualTo(2 * removed);
    assertThat(operator(report, "patch nodes/status")).isGreaterThanOrEqualTo(removed);
    assertThat(operator(report, "patch nodes")).isGreaterThanOrEqualTo(removed);
    assertThat(report.path("podLists").asInt()).isGreaterThanOrEqualTo(2 * removed);
    assertThat(report.path("rawSeconds").asDouble()).isPositive();
    assertThat(report.path("ratio").asDouble()).isPositive();
    assertThat(report.at("/rawCpuSeconds/etcd").asDouble()).isPositive();
  }

  @Test
  void aRolloutBootsEveryNodeOnce() throws Exception {
    int code = run("bench", "rollout", "--nodes", "20", "--max-unavailable", "20", "--json");

    assertThat(code).as(err + "" + out).isEqualTo(ExitCodes.DONE);
    assertThat(out.toString().lines()).hasSize(1);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.path("nodesPerSecond").asDouble()).isPositive();
    assertThat(report.path("operatorWritesPerNodeWithoutEvents").asDouble())
        .isPositive()
        .isLessThan(report.path("operatorWritesPerNode").asDouble());
    assertThat(row(report, "patch hosts").path("operator").asInt()).isEqualTo(20);
  }

  @Test
  void aTakeOverDuplicatesNothingAndALeaderReleasesItsLeaseOnSigterm() throws Exception {
    int code = run("bench", "takeover", "--nodes", "" + NODES, "--json");

    assertThat(code).as(err + "" + out).isEqualTo(ExitCodes.DONE);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.path("doubledOrMissing")).isEmpty();
    assertThat(report.path("leaseGivenBack").asBoolean()).isTrue();
    assertThat(report.path("killSeconds").asDouble()).isPositive();
    assertThat(report.path("stopSeconds").asDouble()).isPositive();
  }

  @Test
  void anOperatorThatStartsOnAnExistingLoadSendsNoNeedlessWrite() throws Exception {
    int code = run("bench", "standing", "--nodes", "50", "--pods", "120", "--json");

    assertThat(code).as(err + "" + out).isEqualTo(ExitCodes.DONE);
    assertThat(out.toString().lines()).hasSize(1);
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.path("needlessWrites").asInt()).as(out.toString()).isZero();
    assertThat(report.path("planningSeconds").asDouble()).isPositive();
    assertThat(report.path("firstPlansSeconds").asDouble())
        .isGreaterThanOrEqualTo(report.path("planningSeconds").asDouble());
    assertThat(report.path("firstWriteSeconds").asDouble()).isPositive();
    assertThat(report.path("operatorLiveHeapMiB").asDouble()).isPositive();
    assertThat(report.path("operatorResidentMiB").asDouble()).isPositive();
    // Each Node is changed at most once, and one was changed before the start.
    assertThat(report.path("changes").asInt()).isEqualTo(48);
    assertThat(report.at("/latencyMillis/max").asDouble())
        .isGreaterThanOrEqualTo(report.at("/latencyMillis/p50").asDouble());
    assertThat(report.path("latencyMillisByKind")).hasSize(5);
  }

  @Test
  void aTimeoutHasItsOwnExitCode() {
    assertThat(run("bench", "grow", "--nodes", "5", "--timeout", "1"))
        .isEqualTo(ExitCodes.TIMED_OUT);
    assertThat(err.toString()).contains("nodepool: Timed out after 1 s waiting until");
    assertThat(out.toString()).isEmpty();
  }
}
