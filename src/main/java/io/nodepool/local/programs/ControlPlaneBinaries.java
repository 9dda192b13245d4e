package io.nodepool.local.programs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the directory with the four programs of the control plane: the directory that the user
 * names, else the directory in {@code KUBEBUILDER_ASSETS}, else this project's cache in the user's
 * cache directory. The cache is filled once: from the official releases if they can be reached,
 * else with Go.
 *
 * @param choice the user's options
 * @param environment the environment variables of this process
 * @param home the user's home directory
 * @param progress receives the progress of long steps
 * @param clock measures the duration of a download or a build
 */
public record ControlPlaneBinaries(
    Choice choice,
    Map<String, String> environment,
    Path home,
    Progress progress,
    InstantSource clock) {

  static final String ASSETS_VARIABLE = "KUBEBUILDER_ASSETS";
  static final String MIRROR_VARIABLE = "NODEPOOL_BINARY_MIRROR";

  /**
   * The user's options.
   *
   * @param directory {@code --binaries}; excludes all other sources
   * @param mirror {@code --binary-mirror}; the only source to fill the cache if it is set
   * @param insecure {@code --insecure-mirror}: the mirror may be without TLS
   * @param offline {@code --offline}: the cache is filled without a network, or not at all
   */
  public record Choice(
      Optional<Path> directory, Optional<String> mirror, boolean insecure, boolean offline) {
    /** No options. */
    public static final Choice NONE = new Choice(Optional.empty(), Optional.empty(), false, false);
  }

  public ControlPlaneBinaries {
    environment = Map.copyOf(environment);
  }

  /** The search in the environment of this process and the user's cache. */
  public static ControlPlaneBinaries ofThisProcess(Progress progress) {
    return new ControlPlaneBinaries(
        Choice.NONE,
        System.getenv(),
        Path.of(System.getProperty("user.home")),
        progress,
        InstantSource.system());
  }

  /** The error in the user's options or environment, in words. Uses no network. */
  public Optional<String> mistake() {
    Optional<Path> assets = variable(ASSETS_VARIABLE).map(Path::of);
    if (choice.directory().isPresent()) {
      return mistakeIn(choice.directory().get(), "given with --binaries");
    }
    if (assets.isPresent()) {
      return mistakeIn(assets.get(), "given in " + ASSETS_VARIABLE);
    }
    return mirrorText()
        .filter(text -> parse(text).isEmpty())
        .map(text ->
            "%s is not the URL of a mirror: \"%s\"; example: https://mirror.example.com."
                .formatted(mirrorSource(), text))
        .or(this::insecureMistake)
        .or(this::cacheMistake)
        .or(this::proxyMistake);
  }

  /**
   * Returns the directory with all four programs. May download or build them first, which takes
   * some minutes.
   *
   * @throws LocalClusterException if a named directory lacks one of them, if they can neither be
   *     downloaded nor built, or if either fails
   */
  public Path find() {
    mistake()
        .ifPresent(why -> {
          throw new LocalClusterException(why);
        });
    Optional<Path> named = choice.directory().or(() -> variable(ASSETS_VARIABLE).map(Path::of));
    if (named.isPresent()) {
      return named.get().toAbsolutePath();
    }
    ControlPlaneCache cache = new ControlPlaneCache(cache(), progress::say);
    return missingIn(cache.target()).isEmpty() ? cache.target() : cache.filled(this::fill);
  }

  private void fill(Path work, Path programs) throws IOException {
    Optional<String> obstacle = download(work, programs);
    if (obstacle.isPresent()) {
      Path go = Executables.onPath(environment, "go").orElseThrow(() -> noWayOut(obstacle.get()));
      progress.say("The control plane cannot be downloaded: %s.".formatted(obstacle.get()));
      new ControlPlaneBuild(go, environment, choice.offline(), progress::say, clock)
          .fill(work, programs);
      Folders.delete(downloads());
    }
  }

  /** The folder of partial downloads. */
  private Path downloads() {
    return cache().resolve("download");
  }

  /** Downloads the programs, or returns the reason why that is not possible. */
  private Optional<String> download(Path work, Path programs) throws IOException {
    if (choice.offline()) {
      return Optional.of("--offline");
    }
    String system = System.getProperty("os.name");
    String processor = System.getProperty("os.arch");
    Optional<URI> mirror = mirrorText().flatMap(ControlPlaneBinaries::parse);
    Optional<ControlPlaneReleases> releases = ControlPlaneReleases.of(mirror, system, processor);
    if (releases.isEmpty()) {
      return Optional.of("there is no release for %s on %s".formatted(system, processor));
    }
    try {
      new ControlPlaneDownload(
              releases.get(),
              PinnedChecksums.packaged(),
              downloads(),
              environment,
              progress,
              clock,
              Transfer.Waiting.REAL)
          .fill(work, programs);
      return Optional.empty();
    } catch (Download.Unavailable e) {
      if (mirror.isPresent()) {
        throw new LocalClusterException(
            "The mirror %s does not serve the control plane: %s."
                .formatted(mirror.get(), e.getMessage()),
            e);
      }
      return Optional.of(String.valueOf(e.getMessage()));
    }
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

  private static Optional<String> mistakeIn(Path candidate, String origin) {
    List<String> missing = missingIn(candidate);
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    String what =
        Files.isDirectory(candidate)
            ? "The directory %s (%s) lacks %s".formatted(candidate, origin, enumerate(missing))
            : "%s (%s) is not a directory".formatted(candidate, origin);
    return Optional.of(
        "%s: it must hold %s as executable files."
            .formatted(what, enumerate(ControlPlaneProgram.fileNames())));
  }

  /** The error of a mirror with plain HTTP: others could replace the programs on the way. */
  private Optional<String> insecureMistake() {
    return mirrorText()
        .filter(text -> !choice.insecure() && !choice.offline())
        .flatMap(ControlPlaneBinaries::parse)
        .filter(uri -> uri.getScheme().equals("http"))
        .map(uri ->
            "%s is %s, without TLS: others could replace the programs on the way. Use https, or add --insecure-mirror."
                .formatted(mirrorSource(), uri));
  }

  private String mirrorSource() {
    return choice.mirror().isPresent() ? "--binary-mirror" : MIRROR_VARIABLE;
  }

  private Optional<String> mirrorText() {
    return choice.mirror().or(() -> variable(MIRROR_VARIABLE));
  }

  private static Optional<URI> parse(String mirror) {
    return ServerUrl.parse(mirror.strip());
  }

  private Path cache() {
    return cacheRoot().resolve("nodepool").resolve("control-plane");
  }

  private Path cacheRoot() {
    return variable("XDG_CACHE_HOME")
        .map(Path::of)
        .filter(Path::isAbsolute)
        .orElseGet(() -> home.resolve(".cache"));
  }

  /** The error if a part of the cache's path is not a directory. */
  private Optional<String> cacheMistake() {
    for (Path each = cache(); each != null; each = each.getParent()) {
      if (Files.exists(each)) {
        return Files.isDirectory(each)
            ? Optional.empty()
            : Optional.of(
                "%s is not a directory; the control plane is cached in it. Set XDG_CACHE_HOME to another directory."
                    .formatted(each));
      }
    }
    return Optional.empty();
  }

  /** The error in the address of a proxy, if a proxy is needed. */
  private Optional<String> proxyMistake() {
    String scheme =
        mirrorText().flatMap(ControlPlaneBinaries::parse).map(URI::getScheme).orElse("https");
    boolean isComplete =
        missingIn(new ControlPlaneCache(cache(), progress::say).target()).isEmpty();
    return choice.offline() || isComplete
        ? Optional.empty()
        : EnvironmentProxy.mistake(environment, scheme);
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  private static LocalClusterException noWayOut(String obstacle) {
    return new LocalClusterException(
        ("The Kubernetes %s control plane is not installed, it cannot be downloaded (%s),"
                + " and Go is not installed to build it: install Go,"
                + " or set --binaries or %s to a directory with %s,"
                + " or set --binary-mirror to a mirror, or use an existing cluster with --context.")
            .formatted(
                ControlPlaneModules.kubernetesVersion(),
                obstacle,
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
