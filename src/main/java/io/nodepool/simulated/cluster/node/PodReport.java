package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.PodRun;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated kubelet reports of a Pod whose containers end: identity and status only, for a
 * strategic merge patch.
 */
public record PodReport(PodStart programs, FleetAction.PodId pod) {
  /** The exit code of a container that is killed. */
  private static final int KILLED = 137;

  /** The Pod after this report. */
  public Pod of(PodRun.Report report, Instant now) {
    String at = text(now);
    return switch (report) {
      case PodRun.Report.Exited exited ->
          ended(exited.exitCode() == 0 ? "Succeeded" : "Failed", exited, at);
      case PodRun.Report.Crashed crashed ->
          reported(
              new PodStatusBuilder().withPhase("Running"),
              program ->
                  PodStart.of(program, pod.uid())
                      .withReady(false)
                      .withStarted(false)
                      .withRestartCount(crashed.restarts())
                      .withState(waiting())
                      .withLastState(terminated(crashed.exitCode(), crashed.since(), crashed.at()))
                      .build(),
              ready("False", "ContainersNotReady", at));
      case PodRun.Report.Restarted(int restarts) ->
          reported(
              new PodStatusBuilder().withPhase("Running"),
              program ->
                  PodStart.of(program, pod.uid())
                      .withReady(true)
                      .withStarted(true)
                      .withRestartCount(restarts)
                      .withState(PodStart.runs(at))
                      .build(),
              ready("True", null, at));
      case PodRun.Report.Expired(int restarts) ->
          reported(
              new PodStatusBuilder()
                  .withPhase("Failed")
                  .withReason("DeadlineExceeded")
                  .withMessage("Pod was active on the node longer than the specified deadline"),
              program ->
                  PodStart.of(program, pod.uid())
                      .withReady(false)
                      .withStarted(false)
                      .withRestartCount(restarts)
                      .withState(terminated(KILLED, now, now))
                      .build(),
              ready("False", "PodFailed", at));
    };
  }

  private Pod ended(String phase, PodRun.Report.Exited exited, String at) {
    return reported(
        new PodStatusBuilder().withPhase(phase),
        program ->
            PodStart.of(program, pod.uid())
                .withReady(false)
                .withStarted(false)
                .withRestartCount(exited.restarts())
                .withState(terminated(exited.exitCode(), exited.since(), exited.at()))
                .build(),
        ready("False", phase.equals("Succeeded") ? "PodCompleted" : "PodFailed", at));
  }

  private Pod reported(
      PodStatusBuilder status,
      Function<PodStart.Program, ContainerStatus> container,
      List<PodCondition> conditions) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(pod.namespace())
        .withName(pod.name())
        .withUid(pod.uid())
        .endMetadata()
        .withStatus(
            status
                .withConditions(conditions)
                .withContainerStatuses(programs.main().stream().map(container).toList())
                .build())
        .build();
  }

  private static List<PodCondition> ready(String status, @Nullable String reason, String at) {
    return Stream.of("ContainersReady", "Ready")
        .map(type ->
            new PodConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withLastTransitionTime(at)
                .build())
        .toList();
  }

  private static ContainerState waiting() {
    return new ContainerStateBuilder().withNewWaiting("", "CrashLoopBackOff").build();
  }

  private static ContainerState terminated(int code, Instant since, Instant at) {
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(code)
        .withReason(code == 0 ? "Completed" : "Error")
        .withStartedAt(text(since))
        .withFinishedAt(text(at))
        .endTerminated()
        .build();
  }

  private static String text(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
