package io.nodepool.cli.demo;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.dev.Board;
import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.PoolView;
import io.nodepool.vocabulary.UserText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Plays the steps of a demo: what is typed, what happens, and why. */
final class DemoStage {
  private static final long TOGETHER_MILLIS = 200;
  private static final long LOOK_MILLIS = 1_000;

  private final Board board;
  private final Shell shell;
  private final Output out;
  private final Duration limit;
  private final CompletableFuture<String> ended;
  private final News news = new News();
  private final List<EventView> since = new ArrayList<>();
  private final long begun = System.nanoTime();
  private int step;

  /**
   * How a demo is printed.
   *
   * @param pause called before each command that was shown is run; may wait for the user
   */
  record Output(PrintWriter lines, boolean isBold, Pause pause) {
    /** The pause before each command. */
    interface Pause {
      /** Waits. */
      void await() throws InterruptedException;
    }

    private void say(String line) {
      lines.println(UserText.printable(line));
      lines.flush();
    }

    private void sayBold(String line) {
      lines.println(isBold ? "\u001b[1m" + line + "\u001b[0m" : line);
      lines.flush();
    }
  }

  /**
   * A stage.
   *
   * @param limit how long each step may take
   * @param ended completed with the reason if the operator ends by itself
   */
  DemoStage(Board board, Shell shell, Output out, Duration limit, CompletableFuture<String> ended) {
    this.board = board;
    this.shell = shell;
    this.out = out;
    this.limit = limit;
    this.ended = ended;
  }

  /**
   * Types a command, and waits for its effect.
   *
   * @param what the effect, in words
   * @param came whether it is visible
   * @param why the reason, in a line
   */
  void step(String command, String what, Predicate<Seen> came, String why)
      throws InterruptedException {
    type(command);
    then(what, came, why);
  }

  /** Types a command that only shows something. */
  void look(String command) throws InterruptedException {
    type(command);
    out.say("");
  }

  private void type(String command) throws InterruptedException {
    out.sayBold("%d. $ %s".formatted(++step, command));
    out.pause().await();
    since.clear();
    shell.run(command);
  }

  /** Waits for the next effect, without another command. */
  void then(String what, Predicate<Seen> came, String why) throws InterruptedException {
    long from = System.nanoTime();
    while (!came.test(look())) {
      long left = limit.minusNanos(System.nanoTime() - from).toMillis();
      if (ended.isDone()) {
        throw new CommandFailure("the operator ended: " + ended.join());
      }
      if (left <= 0) {
        throw new CommandFailure(
            ExitCodes.TIMED_OUT,
            "not seen within %d s: %s. %s"
                .formatted(limit.toSeconds(), what, seen().pool().map(PoolView::line).orElse("")));
      }
      board.awaitChange(Math.min(left, LOOK_MILLIS));
      together();
    }
    out.sayBold("   => %s".formatted(what));
    out.say("   Why: " + why);
    out.say("");
  }

  /** The present view; prints changes. */
  private Seen look() {
    ClusterView view = board.picture();
    News.Change change = news.in(view);
    since.addAll(change.events());
    change.lines().forEach(line -> out.say("   %3d s  %s".formatted(seconds(), line)));
    return new Seen(view, since);
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
  }

  /** The present view. */
  Seen seen() {
    return new Seen(board.picture(), since);
  }

  /** Groups changes that follow each other quickly. */
  private void together() throws InterruptedException {
    try {
      var _ = ended.copy().completeOnTimeout("", TOGETHER_MILLIS, TimeUnit.MILLISECONDS).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end is never exceptional", e);
    }
  }
}
