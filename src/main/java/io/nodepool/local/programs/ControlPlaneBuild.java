package io.nodepool.local.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Builds the four programs with Go. Go's compile cache of some gigabytes is removed afterwards; if
 * the build is aborted, Go is ended too.
 */
final class ControlPlaneBuild implements ControlPlaneCache.Filling {

  private static final int STEP_PERCENT = 5;
  private static final int ERROR_LINES = 15;

  private final Path go;
  private final Map<String, String> environment;
  private final boolean offline;
  private final Consumer<String> progress;
  private final InstantSource clock;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();

  /**
   * Creates a build without starting it.
   *
   * @param go the Go command
   * @param environment the environment of Go, besides the variables that control this build
   * @param offline whether Go may use only the modules in its cache
   */
  ControlPlaneBuild(
      Path go,
      Map<String, String> environment,
      boolean offline,
      Consumer<String> progress,
      InstantSource clock) {
    this.go = go;
    this.environment = environment;
    this.offline = offline;
    this.progress = progress;
    this.clock = clock;
  }

  @Override
  public void fill(Path work, Path programs) throws IOException {
    Thread whenBrokenOff = new Thread(() -> abandon(work), "control-plane-build-removal");
    Runtime.getRuntime().addShutdownHook(whenBrokenOff);
    try {
      compile(work, programs);
      Files.move(programs.resolve("server"), programs.resolve(ControlPlaneProgram.ETCD.fileName()));
    } finally {
      removeHook(whenBrokenOff);
    }
  }

  private void compile(Path work, Path programs) throws IOException {
    Instant begun = clock.instant();
    progress.accept(
        "Building the Kubernetes %s control plane with Go; this takes some minutes, once."
            .formatted(ControlPlaneModules.kubernetesVersion()));
    ControlPlaneModules.writeTo(work);
    int total = run(work, programs, _ -> {}, "list", "-deps", "tool");
    run(
        work,
        programs,
        compiled -> reportProgress(compiled, total, begun),
        "install",
        "-v",
        "-ldflags",
        ControlPlaneModules.linkerFlags(),
        "tool");
    progress.accept("The control plane is built, after %s.".formatted(passedSince(begun)));
  }

  private void reportProgress(int compiled, int total, Instant begun) {
    int percent = percent(compiled, total);
    if (percent / STEP_PERCENT > percent(compiled - 1, total) / STEP_PERCENT) {
      progress.accept(
          "%d %% (%d of about %d packages) after %s"
              .formatted(percent, compiled, total, passedSince(begun)));
    }
  }

  /** At most 99, since linking follows the last package. */
  private static int percent(int compiled, int total) {
    return Math.min(99, 100 * compiled / Math.max(1, total));
  }

  /**
   * Runs Go to its end, reports the number of packages that it has printed so far, and returns
   * their total.
   */
  private int run(Path work, Path programs, IntConsumer packages, String... arguments)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(go.toString());
    builder.command().addAll(List.of(arguments));
    builder.directory(work.toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().putAll(steering(work, programs));
    Process process = builder.start();
    running.add(process);
    process.getOutputStream().close();
    int named = 0;
    Deque<String> said = new ArrayDeque<>();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // Go prints each package on a line of its own; all other lines contain spaces.
        if (!line.isBlank() && !line.contains(" ")) {
          packages.accept(++named);
        } else if (!line.startsWith("go: downloading ")) {
          said.add(line);
          if (said.size() > ERROR_LINES) {
            said.remove();
          }
        }
      }
    }
    int code = exitCode(process);
    running.remove(process);
    if (code != 0) {
      throw new LocalClusterException(
          "Building the control plane failed: %s %s ended with exit code %d%s.%n%s"
              .formatted(
                  go,
                  arguments[0],
                  code,
                  offline
                      ? "; with --offline only the modules of earlier builds are available"
                      : "",
                  String.join(System.lineSeparator(), said)));
    }
    return named;
  }

  private Map<String, String> steering(Path work, Path programs) {
    Map<String, String> steering = new HashMap<>();
    steering.put("GOCACHE", work.resolve("compiled").toString());
    steering.put("GOFLAGS", "-mod=readonly -trimpath -buildvcs=false");
    steering.put("GOWORK", "off");
    steering.put("GOBIN", programs.toString());
    steering.put("CGO_ENABLED", "0");
    if (offline) {
      steering.put("GOPROXY", "off");
      steering.put("GOTOOLCHAIN", "local");
    }
    return steering;
  }

  private String passedSince(Instant begun) {
    Duration passed = Duration.between(begun, clock.instant());
    return passed.toMinutes() == 0
        ? passed.toSeconds() + " s"
        : "%d min %d s".formatted(passed.toMinutes(), passed.toSecondsPart());
  }

  /** Cleans up if this process ends during a build. */
  private void abandon(Path work) {
    for (Process process : running) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    try {
      Folders.delete(work);
    } catch (IOException e) {
      // The next build removes it.
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process ends, and the hook is already running.
    }
  }

  /**
   * Waits on this thread: the future of a process completes on the common pool, which callers may
   * block.
   */
  private static int exitCode(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new LocalClusterException("Building the control plane was interrupted.");
    }
  }
}
