package io.nodepool.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command end in order when a signal ends the process. The process's exit code is then that
 * of the signal: 130 for Ctrl-C, 143 for SIGTERM.
 */
final class Interruption implements AutoCloseable {
  private static final Duration LONGEST_STOP = Duration.ofSeconds(25);

  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final Thread hook;

  /**
   * From now on a signal calls {@code stop}, and the process lives on until this is closed, for a
   * bounded time.
   */
  Interruption(Runnable stop) {
    hook =
        Thread.ofPlatform()
            .unstarted(() -> {
              stop.run();
              stopped.completeOnTimeout(null, LONGEST_STOP.toSeconds(), TimeUnit.SECONDS).join();
            });
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    stopped.complete(null);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending already, and the hook with it.
      return;
    }
  }
}
