package io.nodepool.local;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds the directory with the four programs of the control plane: the one that the user names,
 * else the one in {@code KUBEBUILDER_ASSETS}, else this project's cache below the user's cache
 * directory, which is filled with Go once.
 *
 * @param directory what the user named with {@code --binaries}; nothing else is looked at then
 * @param environment the environment variables of this process
 * @param home the user's home directory
 * @param progress told, line by line, what a build is doing
 * @param clock measures how long a build takes
 */
public record ControlPlaneBinaries(
    Optional<Path> directory,
    Map<String, String> environment,
    Path home,
    Consumer<String> progress,
    InstantSource clock) {

  static final String ASSETS_VARIABLE = "KUBEBUILDER_ASSETS";

  public ControlPlaneBinaries {
    environment = Map.copyOf(environment);
  }

  /** The search in this process's own environment and the user's own cache. */
  public static ControlPlaneBinaries ofThisProcess(Consumer<String> progress) {
    return new ControlPlaneBinaries(
        Optional.empty(),
        System.getenv(),
        Path.of(System.getProperty("user.home")),
        progress,
        InstantSource.system());
  }

  /** The same search, replaced by one directory that the user named. */
  public ControlPlaneBinaries in(Path named) {
    return new ControlPlaneBinaries(Optional.of(named), environment, home, progress, clock);
  }

  /**
   * The directory that holds all four programs. May build them, which takes minutes.
   *
   * @throws LocalClusterException when a named directory lacks one of them, when there is no Go to
   *     build them with, or when the build fails
   */
  public Path find() {
    if (directory.isPresent()) {
      return complete(directory.get(), "given with --binaries");
    }
    Optional<String> assets = variable(ASSETS_VARIABLE);
    if (assets.isPresent()) {
      return complete(Path.of(assets.get()), "given in " + ASSETS_VARIABLE);
    }
    Path cached = cache().resolve(ControlPlaneModules.kubernetesVersion());
    if (missingIn(cached).isEmpty()) {
      return cached;
    }
    Path go = go().orElseThrow(ControlPlaneBinaries::noWayOut);
    return new ControlPlaneBuild(go, environment, cache(), progress, clock).build();
  }

  /** The names of the programs that the directory does not hold as executable files. */
  static List<String> missingIn(Path candidate) {
    return ControlPlaneProgram.fileNames().stream()
        .filter(name -> {
          Path file = candidate.resolve(name);
          return !Files.isRegularFile(file) || !Files.isExecutable(file);
        })
        .toList();
  }

  private static Path complete(Path candidate, String origin) {
    List<String> missing = missingIn(candidate);
    if (!missing.isEmpty()) {
      throw new LocalClusterException(
          "The directory %s (%s) lacks %s: it must hold %s as executable files."
              .formatted(
                  candidate,
                  origin,
                  enumerate(missing),
                  enumerate(ControlPlaneProgram.fileNames())));
    }
    return candidate.toAbsolutePath();
  }

  private Path cache() {
    Path root =
        variable("XDG_CACHE_HOME")
            .map(Path::of)
            .filter(Path::isAbsolute)
            .orElseGet(() -> home.resolve(".cache"));
    return root.resolve("nodepool").resolve("control-plane");
  }

  private Optional<Path> go() {
    return variable("PATH").stream()
        .flatMap(path -> List.of(path.split(File.pathSeparator, -1)).stream())
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry).resolve("go"))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  private static LocalClusterException noWayOut() {
    return new LocalClusterException(
        ("There is no Kubernetes %s control plane on this machine and no Go to build it with: install Go,"
                + " or point --binaries or %s at a directory with %s,"
                + " or use an existing cluster with --context.")
            .formatted(
                ControlPlaneModules.kubernetesVersion(),
                ASSETS_VARIABLE,
                enumerate(ControlPlaneProgram.fileNames())));
  }

  private static String enumerate(List<String> names) {
    int last = names.size() - 1;
    return last == 0
        ? names.getFirst()
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }
}
