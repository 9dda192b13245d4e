package io.nodepool.local.programs;

import java.io.IOException;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * Downloads the four programs from their official releases, or from a mirror. Downloaded files stay
 * in a folder until all of them are complete.
 */
final class ControlPlaneDownload {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final long MEGABYTE = 1_000_000;

  private final ControlPlaneReleases releases;
  private final PinnedChecksums pinned;
  private final Path folder;
  private final Map<String, String> environment;
  private final Progress progress;
  private final InstantSource clock;
  private final Transfer.Waiting waiting;

  /**
   * Creates a download without starting it.
   *
   * @param pinned the checksums that count instead of published ones
   * @param folder the folder of incomplete files, which a later start continues
   * @param environment may name a proxy
   */
  ControlPlaneDownload(
      ControlPlaneReleases releases,
      PinnedChecksums pinned,
      Path folder,
      Map<String, String> environment,
      Progress progress,
      InstantSource clock,
      Transfer.Waiting waiting) {
    this.releases = releases;
    this.pinned = pinned;
    this.folder = folder;
    this.environment = environment;
    this.progress = progress;
    this.clock = clock;
    this.waiting = waiting;
  }

  /**
   * Puts the four programs into a directory.
   *
   * @param work a directory for temporary files
   * @throws Download.Unavailable if they are not available
   * @throws LocalClusterException if a file differs from the published one
   */
  void fill(Path work, Path programs) throws Download.Unavailable, IOException {
    EnvironmentProxy proxy =
        new EnvironmentProxy(
            environment,
            Objects.requireNonNullElseGet(
                ProxySelector.getDefault(), () -> ProxySelector.of(null)));
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .connectTimeout(CONNECT)
            .proxy(proxy)
            .authenticator(proxy.authenticator())
            .build();
    try {
      fill(new Download(client, waiting), work, programs);
    } finally {
      client.shutdownNow();
    }
  }

  private void fill(Download download, Path work, Path programs)
      throws Download.Unavailable, IOException {
    Instant begun = clock.instant();
    // The checksums come first, so that a missing file or an unreachable site fails early.
    SequencedMap<ControlPlaneReleases.Published, String> checksums = checksums(download);
    progress.say(
        "Downloading the Kubernetes %s control plane, once."
            .formatted(ControlPlaneModules.kubernetesVersion()));
    Files.createDirectories(folder);
    SequencedMap<ControlPlaneReleases.Published, Path> files = new LinkedHashMap<>();
    long bytes = 0;
    for (var each : checksums.entrySet()) {
      Path file = fetched(download, each.getKey(), each.getValue(), files.size() + 1);
      bytes += Files.size(file);
      files.put(each.getKey(), file);
    }
    for (var each : files.entrySet()) {
      install(each.getKey(), each.getValue(), work, programs);
    }
    Folders.delete(folder);
    progress.say(
        "The control plane is downloaded and its checksums are verified: %d MB in %d s."
            .formatted(bytes / MEGABYTE, Duration.between(begun, clock.instant()).toSeconds()));
  }

  private SequencedMap<ControlPlaneReleases.Published, String> checksums(Download download)
      throws Download.Unavailable {
    SequencedMap<ControlPlaneReleases.Published, String> checksums = new LinkedHashMap<>();
    for (ControlPlaneReleases.Published published : releases.files()) {
      Optional<String> checksum = pinned.of(published);
      if (checksum.isPresent()) {
        download.require(published.file());
      } else {
        checksum = published.checksumIn(download.text(published.checksums()));
      }
      checksums.put(
          published,
          checksum.orElseThrow(() ->
              new Download.Unavailable(
                  "%s has no SHA-256 for %s".formatted(published.checksums(), published.title()))));
    }
    return checksums;
  }

  /**
   * Returns the complete file, downloaded now or before. Removes the program's files with other
   * contents.
   */
  private Path fetched(
      Download download, ControlPlaneReleases.Published published, String sha256, int number)
      throws Download.Unavailable, IOException {
    String name = published.program().fileName();
    Path file = folder.resolve(name + "-" + sha256);
    if (!Files.exists(file)) {
      removeOthers(name, sha256);
      String what =
          "%s (%d of %d)".formatted(published.title(), number, ControlPlaneProgram.values().length);
      download.file(published.file(), sha256, file, new Shown(what)::at);
    }
    return file;
  }

  private void removeOthers(String name, String sha256) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, name + "-*")) {
      for (Path file : files) {
        if (!file.toString().contains(sha256)) {
          Files.delete(file);
        }
      }
    }
  }

  /** Shows each percent once. */
  private final class Shown {
    private final String what;
    private int last = -1;

    Shown(String what) {
      this.what = what;
    }

    void at(long bytes, OptionalLong total) {
      int percent = total.isPresent() ? (int) (100 * bytes / Math.max(1, total.getAsLong())) : 0;
      int reached = total.isPresent() ? percent : (int) (bytes / MEGABYTE);
      if (reached != last) {
        last = reached;
        progress.at(
            percent,
            total.isPresent()
                ? "%s: %d %% of %d MB".formatted(what, percent, total.getAsLong() / MEGABYTE)
                : "%s: %d MB".formatted(what, reached));
      }
    }
  }

  private static void install(
      ControlPlaneReleases.Published published, Path file, Path work, Path programs)
      throws IOException {
    Path program = programs.resolve(published.program().fileName());
    Path content =
        published.entry().isPresent() ? unpacked(file, published.entry().get(), work) : file;
    Files.move(content, program);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Unpacks an archive with the system's tar. */
  private static Path unpacked(Path archive, String entry, Path work) throws IOException {
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", work.toString(), entry)
            .redirectErrorStream(true)
            .start();
    tar.getOutputStream().close();
    String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      int code = tar.waitFor();
      if (code != 0) {
        throw new IOException(
            "tar ended with exit code %d: %s"
                .formatted(code, said.strip().lines().findFirst().orElse("")));
      }
    } catch (InterruptedException e) {
      throw Transfer.interrupted(e);
    }
    return work.resolve(entry);
  }
}
