package io.nodepool.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command end in order when a signal ends the process: its files are removed, its children
 * ended. The process's exit code is then that of the signal: 130 for Ctrl-C, 143 for SIGTERM.
 * Opened before and closed after everything that has to be put in order.
 */
public final class ShutdownOnSignal implements AutoCloseable {
  private static final Duration LONGEST_STOP = Duration.ofSeconds(25);
  private static final Duration LONGEST_STOP_AT_START = Duration.ofSeconds(5);

  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final Thread command = Thread.currentThread();
  private final Thread hook;
  private volatile boolean listening;

  /**
   * From now on a signal lets the process live on until this is closed, for a bounded time.
   *
   * @param stop ends the command in order once it listens; until then its thread is interrupted
   */
  public ShutdownOnSignal(Runnable stop) {
    hook = Thread.ofPlatform().unstarted(() -> end(stop));
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Says that the command is past its start and ends when it is told to. */
  public void listen() {
    listening = true;
  }

  private void end(Runnable stop) {
    stop.run();
    boolean started = listening;
    if (!started) {
      command.interrupt();
    }
    Duration longest = started ? LONGEST_STOP : LONGEST_STOP_AT_START;
    stopped.completeOnTimeout(null, longest.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    try {
      // Fails while the process is ending: the hook then waits for what comes next.
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      stopped.complete(null);
    }
  }
}
