package io.nodepool.local.programs;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The published files of the four programs for one platform, in the versions of the packaged {@code
 * go.mod}.
 *
 * @param kubernetes the base URL of Kubernetes' releases
 * @param etcd the base URL of etcd's releases
 * @param platform the platform: {@code linux-amd64}
 */
record ControlPlaneReleases(URI kubernetes, URI etcd, String platform) {
  private static final URI KUBERNETES = URI.create("https://dl.k8s.io");
  private static final URI ETCD = URI.create("https://github.com");

  /**
   * One published file, with the SHA-256 that is published for it.
   *
   * @param program the program in the file
   * @param version such as {@code v1.34.4}
   * @param file the program itself, or an archive
   * @param checksums the file that contains the SHA-256: alone, or before the name of the file
   * @param pinned its version and name in the list of {@link PinnedChecksums}
   * @param entry the path of the program in the archive; empty if the file is the program
   */
  record Published(
      ControlPlaneProgram program,
      String version,
      URI file,
      URI checksums,
      String pinned,
      Optional<String> entry) {
    private static final Pattern ALONE = Pattern.compile("\\s*([0-9a-fA-F]{64})\\s*");

    /** The program and its version, such as {@code etcd v3.6.4}. */
    String title() {
      return program.fileName() + " " + version;
    }

    /** The file's SHA-256 in the text of the checksums. */
    Optional<String> checksumIn(String text) {
      String path = file.getPath();
      String name = path.substring(path.lastIndexOf('/') + 1);
      Pattern named =
          Pattern.compile("(?m)^([0-9a-fA-F]{64})\\s+\\*?" + Pattern.quote(name) + "\\s*$");
      Matcher alone = ALONE.matcher(text);
      Matcher inList = named.matcher(text);
      return alone.matches()
          ? Optional.of(alone.group(1).toLowerCase(Locale.ROOT))
          : Optional.of(inList)
              .filter(Matcher::find)
              .map(found -> found.group(1).toLowerCase(Locale.ROOT));
    }
  }

  /**
   * The releases for a platform; empty if no complete official release exists for it.
   *
   * @param mirror replaces both sites
   * @param system the operating system, as Java names it
   * @param processor the processor, as Java names it
   */
  static Optional<ControlPlaneReleases> of(Optional<URI> mirror, String system, String processor) {
    if (!system.equals("Linux")) {
      return Optional.empty();
    }
    Optional<String> architecture =
        switch (processor) {
          case "amd64", "x86_64" -> Optional.of("amd64");
          case "aarch64", "arm64" -> Optional.of("arm64");
          default -> Optional.empty();
        };
    return architecture.map(name ->
        new ControlPlaneReleases(mirror.orElse(KUBERNETES), mirror.orElse(ETCD), "linux-" + name));
  }

  /** The files of all four programs, in the order in which the programs start. */
  List<Published> files() {
    return Stream.of(ControlPlaneProgram.values())
        .map(program -> program == ControlPlaneProgram.ETCD ? ofEtcd() : ofKubernetes(program))
        .toList();
  }

  private Published ofKubernetes(ControlPlaneProgram program) {
    String version = ControlPlaneModules.kubernetesVersion();
    String file =
        below(kubernetes, "release")
            + "/%s/bin/%s/%s".formatted(version, platform.replace('-', '/'), program.fileName());
    return new Published(
        program,
        version,
        URI.create(file),
        URI.create(file + ".sha256"),
        "%s/%s/%s".formatted(version, platform, program.fileName()),
        Optional.empty());
  }

  private Published ofEtcd() {
    String version = ControlPlaneModules.etcdVersion();
    String folder = below(etcd, "etcd-io/etcd/releases/download/" + version);
    String name = "etcd-%s-%s".formatted(version, platform);
    return new Published(
        ControlPlaneProgram.ETCD,
        version,
        URI.create(folder + "/" + name + ".tar.gz"),
        URI.create(folder + "/SHA256SUMS"),
        "%s/%s.tar.gz".formatted(version, name),
        Optional.of(name + "/etcd"));
  }

  private static String below(URI base, String path) {
    String text = base.toString();
    return (text.endsWith("/") ? text : text + "/") + path;
  }
}
