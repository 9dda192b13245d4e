package io.nodepool.cli.dev;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.PoolView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Shows the progress of pools towards their targets until the command ends. */
final class PoolProgress {
  /** The granularity of displayed ages. */
  private static final long LONGEST_WAIT_MILLIS = 10_000;

  private static final long TOGETHER_MILLIS = 150;

  private final Screen screen;
  private final Board board;
  private final Goal goal;
  private final boolean exitAtTarget;
  private final Optional<Duration> limit;
  private final CompletableFuture<Integer> end;
  private final long begunNanos = System.nanoTime();
  private String said = "";

  /**
   * @param exitAtTarget whether the command ends once the goal is reached or cannot be reached
   * @param limit how long to wait for the goal in that case
   * @param end completed with the exit code when the command must end
   */
  PoolProgress(
      Screen screen,
      Board board,
      Goal goal,
      boolean exitAtTarget,
      Optional<Duration> limit,
      CompletableFuture<Integer> end) {
    this.screen = screen;
    this.board = board;
    this.goal = goal;
    this.exitAtTarget = exitAtTarget;
    this.limit = limit;
    this.end = end;
  }

  /** Shows the progress and returns the exit code. */
  int run() {
    try (Screen.Showing _ = screen.open(board::wake, () -> end.complete(ExitCodes.DONE))) {
      while (!end.isDone()) {
        ClusterView view = board.picture();
        screen.show(view);
        if (!goal.names().isEmpty()) {
          judge(goal.progress(view.pools()));
        }
        await();
      }
    }
    return end.join();
  }

  private void judge(Goal.GoalProgress progress) {
    switch (progress) {
      case Goal.GoalProgress.Reached reached ->
          printOnce(
              "reached", PoolView.reached(reached.pools(), duration(elapsed())), ExitCodes.DONE);
      case Goal.GoalProgress.Unreachable stuck ->
          printOnce(stuck.inWords(), stuck.inWords(), ExitCodes.BLOCKED);
      case Goal.GoalProgress.Waiting waiting ->
          limit
              .filter(longest -> elapsed().compareTo(longest) >= 0)
              .ifPresent(longest ->
                  printOnce("late", waiting.inWords(duration(longest)), ExitCodes.TIMED_OUT));
    }
  }

  /**
   * Prints a line once, and ends the command with it if {@code exitAtTarget}.
   *
   * @param what identifies the line; the same value is printed once
   */
  private void printOnce(String what, String line, int code) {
    if (exitAtTarget) {
      screen.conclude(line);
      end.complete(code);
    } else if (!said.equals(what)) {
      screen.say(line);
    }
    said = what;
  }

  /** A duration as text: {@code 37 s}, {@code 2 min 5 s}. */
  static String duration(Duration time) {
    long seconds = Math.max(0, time.plusMillis(500).toSeconds());
    return seconds < 60 ? seconds + " s" : "%d min %d s".formatted(seconds / 60, seconds % 60);
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begunNanos);
  }

  private void await() {
    if (end.isDone()) {
      return;
    }
    try {
      long untilLimit =
          limit.map(longest -> longest.minus(elapsed()).toMillis() + 1).orElse(Long.MAX_VALUE);
      board.awaitChange(Math.clamp(untilLimit, 1, LONGEST_WAIT_MILLIS));
      // Groups changes that follow each other quickly.
      var _ = end.copy().completeOnTimeout(0, TOGETHER_MILLIS, TimeUnit.MILLISECONDS).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end.complete(ExitCodes.FAILED);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end is never exceptional", e);
    }
  }
}
