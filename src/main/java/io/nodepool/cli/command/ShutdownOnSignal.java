package io.nodepool.cli.command;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Shuts a command down in order when the process gets a signal: its files are removed and its child
 * processes ended. The exit code is the signal's: 130 for Ctrl-C, 143 for SIGTERM. Must be opened
 * before and closed after all resources that need an orderly end.
 */
public final class ShutdownOnSignal implements AutoCloseable {
  private static final Duration LONGEST_STOP = Duration.ofSeconds(25);

  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final Thread command = Thread.currentThread();
  private final Thread hook;
  private volatile boolean listening;

  /**
   * Installs the shutdown hook, which delays the end of the process until this is closed, for a
   * bounded time.
   *
   * @param stop ends the command once {@link #listen} was called; before that its thread is
   *     interrupted
   */
  public ShutdownOnSignal(Runnable stop) {
    hook = Thread.ofPlatform().unstarted(() -> end(stop));
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Marks the command as started: from now on a signal calls {@code stop}. */
  public void listen() {
    listening = true;
  }

  private void end(Runnable stop) {
    stop.run();
    if (!listening) {
      command.interrupt();
    }
    stopped.completeOnTimeout(null, LONGEST_STOP.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    try {
      // Fails while the process ends: the hook then waits for the completion below.
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      stopped.complete(null);
    }
  }
}
