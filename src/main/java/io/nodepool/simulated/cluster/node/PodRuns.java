package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.simulated.PodRun;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.metadata.PodAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads how the containers of a Pod run and end. */
public final class PodRuns {
  private static final Pattern CODE = Pattern.compile("[0-9]{1,3}");
  private static final int GREATEST_CODE = 255;

  private PodRuns() {}

  /** The run of a Pod whose status reports that it runs; empty if it does not end by itself. */
  public static Optional<PodRun> of(Pod pod) {
    Optional<Instant> began = ObjectFacts.readableTime(pod.getStatus().getStartTime());
    Optional<ContainerStatus> first = pod.getStatus().getContainerStatuses().stream().findFirst();
    return program(pod)
        .flatMap(program ->
            began.flatMap(start ->
                first.flatMap(status ->
                    state(status)
                        .map(state ->
                            new PodRun(program, start, state, status.getRestartCount())))));
  }

  private static Optional<PodRun.State> state(ContainerStatus status) {
    ContainerState now = status.getState();
    ContainerState last = status.getLastState();
    if (now.getRunning() != null) {
      return ObjectFacts.readableTime(now.getRunning().getStartedAt())
          .map(PodRun.State.Running::new);
    }
    return now.getWaiting() == null || last == null || last.getTerminated() == null
        ? Optional.empty()
        : ObjectFacts.readableTime(last.getTerminated().getFinishedAt())
            .map(PodRun.State.Waiting::new);
  }

  /**
   * The program of a Pod's containers; empty if neither its annotations nor its spec end it. A
   * value that cannot be read counts as absent.
   */
  public static Optional<PodRun.Program> program(Pod pod) {
    Optional<Duration> lasts = annotation(pod, PodAnnotations.RUN_FOR).flatMap(DurationText::parse);
    Optional<Duration> deadline =
        Optional.ofNullable(pod.getSpec().getActiveDeadlineSeconds()).map(Duration::ofSeconds);
    return lasts.isEmpty() && deadline.isEmpty()
        ? Optional.empty()
        : Optional.of(new PodRun.Program(lasts, exitCode(pod), policy(pod), deadline));
  }

  private static int exitCode(Pod pod) {
    return annotation(pod, PodAnnotations.EXIT_CODE)
        .filter(text -> CODE.matcher(text).matches())
        .map(Integer::parseInt)
        .filter(code -> code <= GREATEST_CODE)
        .orElse(0);
  }

  private static PodRun.RestartPolicy policy(Pod pod) {
    return switch (Optional.ofNullable(pod.getSpec().getRestartPolicy()).orElse("")) {
      case "Never" -> PodRun.RestartPolicy.NEVER;
      case "OnFailure" -> PodRun.RestartPolicy.ON_FAILURE;
      default -> PodRun.RestartPolicy.ALWAYS;
    };
  }

  private static Optional<String> annotation(Pod pod, PodAnnotations annotation) {
    return Optional.ofNullable(pod.getMetadata().getAnnotations())
        .map(annotations -> annotations.get(annotation.key()));
  }
}
