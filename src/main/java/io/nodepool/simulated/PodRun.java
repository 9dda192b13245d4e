package io.nodepool.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How the containers of a Pod run and end, all at the same time, as its annotations and its spec
 * define and as its kubelet reported so far. Pure.
 *
 * @param program what the containers do
 * @param began when the Pod began to run
 * @param state the state of its containers in its status
 * @param restarts the number of their restarts so far
 */
public record PodRun(Program program, Instant began, State state, int restarts) {
  private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
  private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
  private static final int DOUBLED_AT_MOST = 5;

  /**
   * What the containers of a Pod do.
   *
   * @param lasts how long they run; empty if they do not exit by themselves
   * @param exitCode the code with which they exit
   * @param policy when they are restarted
   * @param deadline how long the Pod may be active ({@code spec.activeDeadlineSeconds})
   */
  public record Program(
      Optional<Duration> lasts, int exitCode, RestartPolicy policy, Optional<Duration> deadline) {
    private boolean restarts() {
      return switch (policy) {
        case ALWAYS -> true;
        case ON_FAILURE -> exitCode != 0;
        case NEVER -> false;
      };
    }
  }

  /** When the kubelet restarts containers that exited. */
  public enum RestartPolicy {
    ALWAYS,
    ON_FAILURE,
    NEVER
  }

  /** The state of the containers in a status. */
  public sealed interface State {
    /** They run since then. */
    record Running(Instant since) implements State {}

    /** They exited, and are restarted after a while. */
    record Waiting(Instant exited) implements State {}
  }

  /** What the kubelet reports next. */
  public sealed interface Report {
    /** They exited and are not restarted: the Pod succeeded or failed. */
    record Exited(Instant since, Instant at, int exitCode, int restarts) implements Report {}

    /** They exited and will be restarted. */
    record Crashed(Instant since, Instant at, int exitCode, int restarts) implements Report {}

    /** They run again. */
    record Restarted(int restarts) implements Report {}

    /** The Pod was active for as long as its spec allows, and failed. */
    record Expired(int restarts) implements Report {}

    /** They were killed at the end of the Pod's grace period, and it failed. */
    record Killed(int restarts) implements Report {}
  }

  /** The step of the kubelet for a Pod that runs. */
  Next next(FleetAction.PodId pod, Instant now) {
    Optional<Instant> expires = program.deadline().map(began::plus);
    if (expires.filter(at -> !now.isBefore(at)).isPresent()) {
      return Next.now(new FleetAction.ReportRun(pod, new Report.Expired(restarts)));
    }
    Optional<Instant> due = due();
    return due.filter(at -> !now.isBefore(at)).isPresent()
        ? Next.now(new FleetAction.ReportRun(pod, report()))
        : Stream.concat(expires.stream(), due.stream())
            .min(Instant::compareTo)
            .map(Next::at)
            .orElse(Next.NOTHING);
  }

  private Optional<Instant> due() {
    return switch (state) {
      case State.Running(Instant since) -> program.lasts().map(since::plus);
      case State.Waiting(Instant exited) -> Optional.of(exited.plus(backOff()));
    };
  }

  private Report report() {
    return switch (state) {
      case State.Running(Instant since) -> {
        Instant end = since.plus(program.lasts().orElse(Duration.ZERO));
        yield program.restarts()
            ? new Report.Crashed(since, end, program.exitCode(), restarts)
            : new Report.Exited(since, end, program.exitCode(), restarts);
      }
      case State.Waiting _ -> new Report.Restarted(restarts + 1);
    };
  }

  /** As a kubelet's: none before the first restart, then 10 s, doubled up to 5 min. */
  private Duration backOff() {
    if (restarts == 0) {
      return Duration.ZERO;
    }
    Duration doubled = FIRST_BACK_OFF.multipliedBy(1L << Math.min(restarts - 1, DOUBLED_AT_MOST));
    return doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
  }
}
