package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A running program of the control plane. Its parent is a guardian process that ends it when this
 * process dies for any reason.
 */
final class ChildProcess {

  private static final Duration END_LIMIT = Duration.ofSeconds(5);

  private final ControlPlaneProgram program;
  private final List<String> command;
  private final Process guardian;
  private final long pid;
  private final Optional<ProcessHandle> handle;

  private ChildProcess(
      ControlPlaneProgram program, List<String> command, Process guardian, long pid) {
    this.program = program;
    this.command = List.copyOf(command);
    this.guardian = guardian;
    this.pid = pid;
    this.handle = ProcessHandle.of(pid);
  }

  /** Starts a program in the folder's state directory; its output goes to its log. */
  static ChildProcess start(ControlPlaneProgram program, List<String> command, ClusterFolder folder)
      throws IOException {
    List<String> guarded = new ArrayList<>();
    guarded.add("sh");
    guarded.add(folder.guardian().toString());
    guarded.add(folder.disposable().toString());
    guarded.add(folder.log(program).toString());
    guarded.addAll(command);
    Process guardian =
        new ProcessBuilder(guarded)
            .directory(folder.state().toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(folder.log(program).toFile()))
            .start();
    try (BufferedReader reader = guardian.inputReader()) {
      String pid = reader.readLine();
      if (pid == null) {
        throw new IOException("no process id from the guardian of " + program.fileName());
      }
      return new ChildProcess(program, command, guardian, Long.parseLong(pid.strip()));
    }
  }

  /** Starts the same program again after its end. */
  ChildProcess startAgain(ClusterFolder folder) throws IOException {
    return start(program, command, folder);
  }

  ControlPlaneProgram program() {
    return program;
  }

  /** The process id of the program itself. */
  long pid() {
    return pid;
  }

  boolean isAlive() {
    return guardian.isAlive();
  }

  /** The exit code of a program that has ended; 128 plus the signal's number after a signal. */
  int exitCode() {
    return guardian.exitValue();
  }

  /** Completed when the program has ended for any reason. */
  CompletableFuture<?> ended() {
    return guardian.onExit();
  }

  /**
   * Kills the program without waiting for its end; it holds nothing that needs an orderly shutdown.
   */
  void stop() {
    try (OutputStream pipe = guardian.getOutputStream()) {
      pipe.write('\n');
    } catch (IOException e) {
      // The guardian has ended, and so has the program.
    }
  }

  /** Waits for the end of a stopped program, and kills it if the guardian does not. */
  void awaitEnd() {
    try {
      if (!guardian.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        guardian.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    handle.filter(ProcessHandle::isAlive).ifPresent(ProcessHandle::destroyForcibly);
  }
}
