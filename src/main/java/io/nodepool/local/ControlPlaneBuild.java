package io.nodepool.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Builds the four programs with Go into the cache, once: no other process builds at the same time,
 * a build that fails or is broken off leaves nothing that looks finished, and Go's compile cache of
 * some gigabytes is removed afterwards.
 */
final class ControlPlaneBuild {

  private static final String BUILD_PREFIX = "build-";
  private static final int STEP_PERCENT = 5;
  private static final int ERROR_LINES = 15;

  /**
   * A file lock holds other processes off; this one the other threads of this process, for which a
   * second file lock is an error.
   */
  private static final Object IN_THIS_PROCESS = new Object();

  private final Path go;
  private final Map<String, String> environment;
  private final Path target;
  private final Path cache;
  private final Consumer<String> progress;
  private final InstantSource clock;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();

  /**
   * A build that has not begun.
   *
   * @param go the Go command
   * @param environment what Go sees, besides the variables that steer this build
   * @param cache where the programs of every version are kept, each in a directory of that name
   */
  ControlPlaneBuild(
      Path go,
      Map<String, String> environment,
      Path cache,
      Consumer<String> progress,
      InstantSource clock) {
    this.go = go;
    this.environment = environment;
    this.cache = cache;
    this.target = cache.resolve(ControlPlaneModules.kubernetesVersion());
    this.progress = progress;
    this.clock = clock;
  }

  /** The target, complete: built now, or meanwhile by another process. */
  Path build() {
    synchronized (IN_THIS_PROCESS) {
      try {
        Files.createDirectories(cache);
        try (FileChannel channel =
                FileChannel.open(
                    cache.resolve("build.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            FileLock _ = lock(channel)) {
          if (!ControlPlaneBinaries.missingIn(target).isEmpty()) {
            removeLeftovers();
            buildAlone();
          }
        }
      } catch (IOException e) {
        throw new LocalClusterException(
            "The control plane cannot be built into " + target + ": " + e, e);
      }
      return target;
    }
  }

  private FileLock lock(FileChannel channel) throws IOException {
    FileLock free = channel.tryLock();
    if (free != null) {
      return free;
    }
    progress.accept("Another process is building the control plane; waiting for it.");
    return channel.lock();
  }

  /** With the lock held, whatever looks like a build belongs to a process that was broken off. */
  private void removeLeftovers() throws IOException {
    Folders.delete(target);
    try (DirectoryStream<Path> broken = Files.newDirectoryStream(cache, BUILD_PREFIX + "*")) {
      for (Path folder : broken) {
        Folders.delete(folder);
      }
    }
  }

  private void buildAlone() throws IOException {
    Path work = Files.createTempDirectory(cache, BUILD_PREFIX);
    Thread whenBrokenOff = new Thread(() -> abandon(work), "control-plane-build-removal");
    Runtime.getRuntime().addShutdownHook(whenBrokenOff);
    try {
      Path programs = Files.createDirectory(work.resolve("programs"));
      compile(work, programs);
      Files.move(programs.resolve("server"), programs.resolve(ControlPlaneProgram.ETCD.fileName()));
      List<String> missing = ControlPlaneBinaries.missingIn(programs);
      if (!missing.isEmpty()) {
        throw new LocalClusterException("Go built the control plane without " + missing + ".");
      }
      Files.move(programs, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      removeHook(whenBrokenOff);
      Folders.delete(work);
    }
  }

  private void compile(Path work, Path programs) throws IOException {
    Instant begun = clock.instant();
    progress.accept(
        "Building the Kubernetes %s control plane with Go into %s; this takes some minutes, once."
            .formatted(ControlPlaneModules.kubernetesVersion(), target));
    ControlPlaneModules.writeTo(work);
    int total = run(work, programs, _ -> {}, "list", "-deps", "tool");
    run(
        work,
        programs,
        compiled -> tell(compiled, total, begun),
        "install",
        "-v",
        "-ldflags",
        ControlPlaneModules.linkerFlags(),
        "tool");
    progress.accept("The control plane is built, after %s.".formatted(passedSince(begun)));
  }

  private void tell(int compiled, int total, Instant begun) {
    int percent = percent(compiled, total);
    if (percent / STEP_PERCENT > percent(compiled - 1, total) / STEP_PERCENT) {
      progress.accept(
          "%d %% (%d of about %d packages) after %s"
              .formatted(percent, compiled, total, passedSince(begun)));
    }
  }

  /** Never the whole: linking follows the last package. */
  private static int percent(int compiled, int total) {
    return Math.min(99, 100 * compiled / Math.max(1, total));
  }

  /**
   * Runs Go to its end, tells how many packages it has named so far, and answers how many it named.
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
        // Go names each package alone on a line; everything else that it says has blanks.
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
    int code = process.onExit().join().exitValue();
    running.remove(process);
    if (code != 0) {
      throw new LocalClusterException(
          "Building the control plane failed: %s %s ended with exit code %d.%n%s"
              .formatted(go, arguments[0], code, String.join(System.lineSeparator(), said)));
    }
    return named;
  }

  private static Map<String, String> steering(Path work, Path programs) {
    return Map.of(
        "GOCACHE", work.resolve("compiled").toString(),
        "GOFLAGS", "-mod=readonly -trimpath -buildvcs=false",
        "GOWORK", "off",
        "GOBIN", programs.toString(),
        "CGO_ENABLED", "0");
  }

  private String passedSince(Instant begun) {
    Duration passed = Duration.between(begun, clock.instant());
    return passed.toMinutes() == 0
        ? passed.toSeconds() + " s"
        : "%d min %d s".formatted(passed.toMinutes(), passed.toSecondsPart());
  }

  /** Runs while this process ends in the middle of a build. */
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
      // This process is ending, and the hook is running.
    }
  }
}
