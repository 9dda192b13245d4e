package io.nodepool.simulated.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.PodRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is reported of a Pod's containers is what is read of them next. */
class PodReportTest {
  private static final Instant BEGAN = Instant.parse("2026-11-21T05:00:00Z");
  private static final Instant END = BEGAN.plusSeconds(30);
  private static final FleetAction.PodId ID = new FleetAction.PodId("default", "p", "u1");

  private static Pod pod(Map<String, String> annotations) {
    return new PodBuilder()
        .withNewMetadata()
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("OnFailure")
        .addNewContainer()
        .withName("main")
        .withImage("a")
        .endContainer()
        .endSpec()
        .build();
  }

  private static final Pod FAILING =
      pod(Map.of("fleet.nodepool.io/run-for", "30s", "fleet.nodepool.io/exit-code", "3"));

  private static Pod reported(PodRun.Report report, Instant now) {
    Pod next = new PodReport(PodStart.of(FAILING), ID).of(report, now);
    Pod stored = new PodBuilder(FAILING).withStatus(next.getStatus()).build();
    stored.getStatus().setStartTime(BEGAN.toString());
    return stored;
  }

  @Test
  void aPodThatStartedRunsSinceThen() {
    Pod started = new PodReport(PodStart.of(FAILING), ID).running("gd90782", BEGAN);
    Pod stored = new PodBuilder(FAILING).withStatus(started.getStatus()).build();

    assertThat(PodRuns.of(stored))
        .contains(
            new PodRun(
                new PodRun.Program(
                    Optional.of(Duration.ofSeconds(30)),
                    3,
                    PodRun.RestartPolicy.ON_FAILURE,
                    Optional.empty()),
                BEGAN,
                new PodRun.State.Running(BEGAN),
                0));
  }

  @Test
  void aCrashIsSeenAndReadAsTheWaitForARestart() {
    Pod crashed = reported(new PodRun.Report.Crashed(BEGAN, END, 3, 1), END);
    ContainerStatus status = crashed.getStatus().getContainerStatuses().getFirst();

    assertThat(crashed.getStatus().getPhase()).isEqualTo("Running");
    assertThat(status.getState().getWaiting().getReason()).isEqualTo("CrashLoopBackOff");
    assertThat(status.getLastState().getTerminated().getExitCode()).isEqualTo(3);
    PodRun run = PodRuns.of(crashed).orElseThrow();
    assertThat(run.state()).isEqualTo(new PodRun.State.Waiting(END));
    assertThat(run.restarts()).isEqualTo(1);
  }

  @Test
  void aRestartRunsFromThen() {
    PodRun run =
        PodRuns.of(reported(new PodRun.Report.Restarted(2), END.plusSeconds(10))).orElseThrow();

    assertThat(run.state()).isEqualTo(new PodRun.State.Running(END.plusSeconds(10)));
    assertThat(run.restarts()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"0, Succeeded, Completed", "3, Failed, Error"})
  void anExitEndsThePod(int code, String phase, String reason) {
    Pod over = reported(new PodRun.Report.Exited(BEGAN, END, code, 0), END);

    assertThat(over.getStatus().getPhase()).isEqualTo(phase);
    assertThat(over.getStatus().getContainerStatuses().getFirst().getState().getTerminated())
        .satisfies(terminated -> {
          assertThat(terminated.getExitCode()).isEqualTo(code);
          assertThat(terminated.getReason()).isEqualTo(reason);
          assertThat(terminated.getFinishedAt()).isEqualTo("2026-11-21T05:00:30Z");
        });
    assertThat(over.getStatus().getConditions())
        .allSatisfy(condition -> assertThat(condition.getStatus()).isEqualTo("False"));
  }

  @Test
  void aPodThatExceedsItsDeadlineFailsForThat() {
    Pod expired = reported(new PodRun.Report.Expired(0), END);

    assertThat(expired.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(expired.getStatus().getReason()).isEqualTo("DeadlineExceeded");
  }

  @ParameterizedTest
  @CsvSource({"'', 0", "soon, 0", "30s, 0"})
  void aPodEndsByItselfOnlyIfItSaysWhen(String lasts, int code) {
    Map<String, String> annotations =
        lasts.isEmpty() ? Map.of() : Map.of("fleet.nodepool.io/run-for", lasts);

    assertThat(PodRuns.program(pod(annotations)).isPresent()).isEqualTo(lasts.equals("30s"));
    PodRuns.program(pod(annotations))
        .ifPresent(program -> assertThat(program.exitCode()).isEqualTo(code));
  }
}
