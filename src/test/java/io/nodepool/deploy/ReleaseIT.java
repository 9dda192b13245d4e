package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The files of a release, used as after a download. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReleaseIT {
  private static final String VERSION = "9.8.7-test.1";

  private final KubernetesClient admin;
  private final String kubeconfig;
  private final Path folder;
  private final Path release;

  ReleaseIT(LocalCluster cluster, KubernetesClient admin, @TempDir Path folder) {
    this.admin = admin;
    this.kubeconfig = cluster.kubeconfig();
    this.folder = folder;
    this.release = folder.resolve("release");
  }

  @BeforeAll
  void assemble() throws Exception {
    TestCluster.prepare(admin);
    assertThat(
            run(Path.of("."), "hack/release/assemble", VERSION, release.toString(), "https://x/y"))
        .contains("kubectl-nodepool-" + VERSION + ".tar.gz");
  }

  private String run(Path where, String... command) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", "");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "JAVA_HOME",
                System.getProperty("java.home"),
                "KUBECONFIG",
                "" + Files.writeString(folder.resolve("kubeconfig"), kubeconfig),
                "XDG_CACHE_HOME",
                "" + folder.resolve("cache")));
    builder.environment().remove("NODEPOOL_HOME");
    Process process = builder.start();
    process.getOutputStream().close();
    assertThat(process.waitFor()).as(Files.readString(out)).isZero();
    return Files.readString(out);
  }

  @Test
  void thePluginRunsFromItsArchiveInAnEmptyFolder() throws Exception {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    run(empty, "tar", "xzf", release.resolve("kubectl-nodepool-" + VERSION + ".tar.gz").toString());
    String plugin = empty.resolve("kubectl-nodepool/bin/kubectl-nodepool").toString();

    assertThat(run(empty, plugin, "get", "-o", "json")).contains("\"kind\": \"List\"");
    assertThat(
            run(
                empty,
                empty.resolve("kubectl-nodepool/bin/kubectl_complete-nodepool").toString(),
                "rol"))
        .isEqualTo("rollback\nrollout\n:4\n");
  }

  @Test
  void checksumsVerifyAndTheManifestAgreesWithThem() throws Exception {
    assertThat(run(release, "sha256sum", "--check", "SHA256SUMS").lines())
        .hasSizeGreaterThanOrEqualTo(5)
        .allMatch(line -> line.endsWith(": OK"));
    JsonNode platform =
        new YAMLMapper()
            .readTree(release.resolve("nodepool.yaml").toFile())
            .at("/spec/platforms/0");
    String archive = "kubectl-nodepool-" + VERSION + ".tar.gz";
    assertThat(platform.path("uri").asText()).isEqualTo("https://x/y/" + archive);
    assertThat(Files.readAllLines(release.resolve("SHA256SUMS")))
        .contains(platform.path("sha256").asText() + "  " + archive);
  }

  @Test
  void theSameSourcesGiveTheSameFiles() throws Exception {
    Path again = folder.resolve("again");
    run(Path.of("."), "hack/release/assemble", VERSION, again.toString(), "https://x/y");
    assertThat(again.resolve("SHA256SUMS")).hasSameTextualContentAs(release.resolve("SHA256SUMS"));
  }

  @Test
  void theChartHasTheVersionAndTheCrdsAreThoseOfTheProject() throws Exception {
    run(release, "tar", "xzf", "nodepool-operator-" + VERSION + ".tgz", "-C", folder.toString());
    JsonNode chart =
        new YAMLMapper().readTree(folder.resolve("nodepool-operator/Chart.yaml").toFile());
    assertThat(List.of(chart.path("version").asText(), chart.path("appVersion").asText()))
        .containsOnly(VERSION);
    assertThat(Chart.parse(Files.readString(release.resolve("nodepool-crds-" + VERSION + ".yaml"))))
        .hasSameSizeAs(Chart.parse(crds()))
        .allMatch(crd -> crd.path("kind").asText().equals("CustomResourceDefinition"));
  }

  private static String crds() throws IOException {
    StringBuilder all = new StringBuilder();
    try (var files = Files.list(Path.of("crds"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
        all.append("---\n").append(Files.readString(file));
      }
    }
    return all.toString();
  }
}
