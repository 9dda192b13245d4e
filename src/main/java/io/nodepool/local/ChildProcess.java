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
 * One running program of the control plane, below the guardian that ends it when this process dies,
 * however it dies.
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

  /** Starts the same program once more, after its end. */
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

  /** The exit code of a program that has ended; above 128 it is a signal's number plus 128. */
  int exitCode() {
    return guardian.exitValue();
  }

  /** Done when the program has ended, for whatever reason. */
  CompletableFuture<?> ended() {
    return guardian.onExit();
  }

  /**
   * Has the program killed, without waiting for it: nothing that it holds is worth an orderly end.
   */
  void stop() {
    try (OutputStream pipe = guardian.getOutputStream()) {
      pipe.write('\n');
    } catch (IOException e) {
      // The guardian has ended, and so has the program.
    }
  }

  /**
   * Waits for a stopped program's end; where the guardian fails to bring it about, does so itself.
   */
  void awaitEnd() {
    boolean interrupted = false;
    try {
      if (!guardian.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        guardian.destroyForcibly();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    handle.filter(ProcessHandle::isAlive).ifPresent(ProcessHandle::destroyForcibly);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
