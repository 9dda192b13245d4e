package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
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
 * A simulated kubelet's report of a Pod: identity and status only, for a strategic merge patch. The
 * UID makes the API server refuse the patch for another Pod of the same name.
 */
public record PodReport(PodStart programs, FleetAction.PodId pod) {
  /** The exit code of a container that is killed. */
  private static final int KILLED = 137;

  /** The Pod once it runs. */
  public Pod running(String nodeName, Instant now) {
    String at = text(now);
    String hostAddress = Addresses.ofNode(nodeName);
    String address = programs.hostNetwork() ? hostAddress : Addresses.ofPod(pod.uid());
    return reported(
        new PodStatusBuilder()
            .withPhase("Running")
            .withStartTime(at)
            .withHostIP(hostAddress)
            .withHostIPs(new HostIP(hostAddress))
            .withPodIP(address)
            .withPodIPs(new PodIP(address))
            .withConditions(condition("PodReadyToStartContainers", "True", null, at))
            .addToConditions(condition("Initialized", "True", null, at))
            .withInitContainerStatuses(
                programs.before().stream().map(each -> started(each, now)).toList()),
        ready("True", null, at),
        each -> started(each, now));
  }

  private ContainerStatus started(PodStart.Program program, Instant now) {
    return container(program, true, 0, program.stays() ? runs(now) : terminated(0, now, now))
        .withStarted(program.stays())
        .build();
  }

  /** The Pod after this report about its containers. */
  public Pod of(PodRun.Report report, Instant now) {
    String at = text(now);
    return switch (report) {
      case PodRun.Report.Exited(Instant since, Instant end, int exitCode, int restarts) ->
          reported(
              new PodStatusBuilder().withPhase(exitCode == 0 ? "Succeeded" : "Failed"),
              ready("False", exitCode == 0 ? "PodCompleted" : "PodFailed", at),
              each -> container(each, false, restarts, terminated(exitCode, since, end)).build());
      case PodRun.Report.Crashed(Instant since, Instant end, int exitCode, int restarts) ->
          reported(
              new PodStatusBuilder().withPhase("Running"),
              ready("False", "ContainersNotReady", at),
              each ->
                  container(each, false, restarts, waits())
                      .withLastState(terminated(exitCode, since, end))
                      .build());
      case PodRun.Report.Restarted(int restarts) ->
          reported(
              new PodStatusBuilder().withPhase("Running"),
              ready("True", null, at),
              each -> container(each, true, restarts, runs(now)).build());
      case PodRun.Report.Expired(int restarts) ->
          reported(
              new PodStatusBuilder()
                  .withPhase("Failed")
                  .withReason("DeadlineExceeded")
                  .withMessage("Pod was active on the node longer than the specified deadline"),
              ready("False", "PodFailed", at),
              each -> container(each, false, restarts, terminated(KILLED, now, now)).build());
      case PodRun.Report.Killed(int restarts) ->
          reported(
              new PodStatusBuilder().withPhase("Failed"),
              ready("False", "PodFailed", at),
              each -> container(each, false, restarts, terminated(KILLED, now, now)).build());
    };
  }

  private Pod reported(
      PodStatusBuilder status,
      List<PodCondition> conditions,
      Function<PodStart.Program, ContainerStatus> container) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(pod.namespace())
        .withName(pod.name())
        .withUid(pod.uid())
        .endMetadata()
        .withStatus(
            status
                .addAllToConditions(conditions)
                .withContainerStatuses(programs.main().stream().map(container).toList())
                .build())
        .build();
  }

  private static List<PodCondition> ready(String status, @Nullable String reason, String at) {
    return Stream.of("ContainersReady", "Ready")
        .map(type -> condition(type, status, reason, at))
        .toList();
  }

  private static PodCondition condition(
      String type, String status, @Nullable String reason, String at) {
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withLastTransitionTime(at)
        .build();
  }

  private ContainerStatusBuilder container(
      PodStart.Program program, boolean runs, int restarts, ContainerState state) {
    return new ContainerStatusBuilder()
        .withName(program.name())
        .withImage(program.image())
        .withImageID(program.image())
        .withContainerID("containerd://" + pod.uid().replace("-", "") + "-" + program.name())
        .withReady(runs)
        .withStarted(runs)
        .withRestartCount(restarts)
        .withState(state);
  }

  private static ContainerState runs(Instant since) {
    return new ContainerStateBuilder().withNewRunning(text(since)).build();
  }

  private static ContainerState waits() {
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
