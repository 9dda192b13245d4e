package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The files of a release, used as after a download. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReleaseIT {
  private static final String HOME = "https://github.com/Some/Project";

  /** That of the jar, which the other files have to have too. */
  private static final String VERSION = stated().replaceFirst("[+].*", "");

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
            run(
                Path.of("."),
                "bash",
                "-euo",
                "pipefail",
                "-c",
                script("hack/release/assemble").replace("target/release", release.toString())))
        .contains("kubectl-nodepool-" + VERSION + ".tar.gz");
  }

  /** The version that the manifest of the jar states, and the commit. */
  private static String stated() {
    try (JarFile jar = new JarFile("target/nodepool.jar")) {
      return jar.getManifest().getMainAttributes().getValue("Implementation-Version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The step of the workflow that releases in which a word stands, after the one that gives the
   * others their names.
   */
  private static String script(String word) throws IOException {
    List<String> steps =
        new YAMLMapper()
            .readTree(Path.of(".github", "workflows", "release.yml").toFile())
            .at("/jobs/publish/steps")
            .valueStream()
            .map(step -> step.path("run").asText())
            .toList();
    String names =
        steps.stream().filter(step -> step.contains("GITHUB_ENV")).findFirst().orElseThrow();
    String step = steps.stream().filter(each -> each.contains(word)).findFirst().orElseThrow();
    return """
    TAG=v%s REPOSITORY=Some/Project GITHUB_SHA=0123456789abcdef0123456789abcdef01234567
    GITHUB_ACTOR=somebody TOKEN=secret GITHUB_ENV=$(mktemp)
    %s
    source "$GITHUB_ENV"
    rm "$GITHUB_ENV"
    %s
    """
        .formatted(VERSION, names, step);
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
    assertThat(run(empty, plugin, "version").strip())
        .isEqualTo("kubectl nodepool " + stated().replaceFirst("[+](.*)", " (commit $1)"))
        .contains(VERSION);
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
    assertThat(platform.path("uri").asText())
        .isEqualTo(HOME + "/releases/download/v" + VERSION + "/" + archive);
    assertThat(Files.readAllLines(release.resolve("SHA256SUMS")))
        .contains(platform.path("sha256").asText() + "  " + archive);
  }

  @Test
  void theSameSourcesGiveTheSameFiles() throws Exception {
    Path again = folder.resolve("again");
    run(
        Path.of("."),
        "hack/release/assemble",
        VERSION,
        again.toString(),
        HOME,
        "ghcr.io/some/project");
    assertThat(again.resolve("SHA256SUMS")).hasSameTextualContentAs(release.resolve("SHA256SUMS"));
  }

  /** The chart without the changes of its user. */
  private Path chart() throws Exception {
    Path charts = Files.createTempDirectory(folder, "charts");
    run(release, "tar", "xzf", "nodepool-operator-" + VERSION + ".tgz", "-C", charts.toString());
    return charts.resolve("nodepool-operator");
  }

  @Test
  void theChartNamesTheImageThatTheWorkflowPushes() throws Exception {
    String pushed =
        run(
            folder,
            "bash",
            "-euo",
            "pipefail",
            "-c",
            "docker() { echo docker \"$@\"; case \"$*\" in *--password-stdin) cat >/dev/null ;; esac; }\n"
                + script("docker buildx build"));
    List<JsonNode> objects =
        Chart.parse(
            new Helm(chart())
                .template()
                .withName(Chart.RELEASE)
                .withKubeVersion("1.34.4")
                .skipCrds()
                .call());
    assertThat(objects)
        .filteredOn(object -> object.path("kind").asText().equals("Deployment"))
        .singleElement()
        .satisfies(deployment ->
            assertThat(pushed)
                .contains(
                    " --tag "
                        + deployment.at("/spec/template/spec/containers/0/image").asText()
                        + " --push"));
    assertThat(pushed)
        .contains(
            " --build-arg VERSION=%s --build-arg REVISION=0123456789ab --build-arg SOURCE=%s "
                .formatted(VERSION, HOME));
  }

  @Test
  void theNotesOfTheChartLinkItsDocumentation() throws Exception {
    Release installed =
        new Helm(chart())
            .install()
            .withName(Chart.RELEASE)
            .withKubeConfig(Path.of(folder.resolve("kubeconfig").toString()))
            .dryRun()
            .call();
    assertThat(installed.getOutput()).contains(HOME + "/blob/v" + VERSION + "/docs/install.md");
  }

  @Test
  void aJarOfAnotherVersionIsRefused() throws Exception {
    Process process =
        new ProcessBuilder("hack/release/assemble", "9.9.9", folder.resolve("other").toString())
            .redirectErrorStream(true)
            .start();
    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo(
            "target/nodepool.jar is version %s: run ./mvnw -Drevision=9.9.9 package first\n"
                .formatted(VERSION));
    assertThat(process.waitFor()).isOne();
  }

  @Test
  void theChartHasTheVersionAndTheCrdsAreThoseOfTheProject() throws Exception {
    JsonNode chart = new YAMLMapper().readTree(chart().resolve("Chart.yaml").toFile());
    assertThat(chart.path("home").asText()).isEqualTo(HOME);
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
