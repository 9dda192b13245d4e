package io.nodepool.local.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.local.programs.ControlPlaneReleases.Published;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlPlaneReleasesTest {
  private static final String SUM = "0123456789abcdef".repeat(4);
  private static final String OTHER = "f".repeat(64);

  @Test
  void theFilesAreThoseOfTheOfficialReleases() {
    List<Published> files =
        ControlPlaneReleases.of(Optional.empty(), "Linux", "aarch64").orElseThrow().files();

    String etcd = ControlPlaneModules.etcdVersion();
    String below = "https://github.com/etcd-io/etcd/releases/download/" + etcd;
    assertThat(files).extracting(Published::program).containsExactly(ControlPlaneProgram.values());
    assertThat(files.getFirst().file())
        .hasToString(below + "/etcd-" + etcd + "-linux-arm64.tar.gz");
    assertThat(files.getFirst().checksums()).hasToString(below + "/SHA256SUMS");
    assertThat(files.getFirst().entry()).contains("etcd-" + etcd + "-linux-arm64/etcd");
    assertThat(files.getLast().file())
        .hasToString(
            "https://dl.k8s.io/release/%s/bin/linux/arm64/kube-scheduler"
                .formatted(ControlPlaneModules.kubernetesVersion()));
    assertThat(files.getLast().checksums()).hasToString(files.getLast().file() + ".sha256");
  }

  @Test
  void aMirrorReplacesBothSites() {
    for (String base : List.of("https://mirror.example/k8s", "https://mirror.example/k8s/")) {
      assertThat(
              ControlPlaneReleases.of(Optional.of(URI.create(base)), "Linux", "amd64")
                  .orElseThrow()
                  .files())
          .extracting(file -> file.file().toString())
          .allMatch(file ->
              file.startsWith("https://mirror.example/k8s/release/v")
                  || file.startsWith("https://mirror.example/k8s/etcd-io/etcd/releases/"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, linux-amd64",
    "Linux, x86_64, linux-amd64",
    "Linux, aarch64, linux-arm64",
    "Linux, ppc64le, ''",
    "Mac OS X, aarch64, ''",
    "Windows 11, amd64, ''"
  })
  void somePlatformsHaveReleases(String system, String processor, String platform) {
    assertThat(
            ControlPlaneReleases.of(Optional.empty(), system, processor)
                .map(ControlPlaneReleases::platform)
                .orElse(""))
        .isEqualTo(platform);
  }

  @Test
  void aChecksumIsAloneOrBesideItsFile() {
    Published file =
        new Published(
            ControlPlaneProgram.ETCD,
            "v1",
            URI.create("https://a.example/x/etcd.tar.gz"),
            URI.create("https://a.example/x/SUMS"),
            "v1/etcd.tar.gz",
            Optional.empty());

    assertThat(file.checksumIn(SUM)).contains(SUM);
    assertThat(file.checksumIn(SUM.toUpperCase(java.util.Locale.ROOT) + "\n")).contains(SUM);
    assertThat(file.checksumIn(OTHER + "  other\n" + SUM + "  etcd.tar.gz\n")).contains(SUM);
    assertThat(file.checksumIn(SUM + " *etcd.tar.gz\r\n")).contains(SUM);
    assertThat(file.checksumIn(OTHER + "  other-etcd.tar.gz\n" + OTHER + "  etcd-tar.gz"))
        .isEmpty();
    assertThat(file.checksumIn("<html>")).isEmpty();
  }
}
