package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What others publish is named by its content, since a tag may be moved to something else, and a
 * bot proposes what comes after it.
 */
class SupplyChainTest {
  private static final Path GITHUB = Path.of(".github");

  @Test
  void actionsOfWorkflowsAreNamedByCommitWithTheirVersionBesideIt() throws IOException {
    List<String> uses = lines(files(GITHUB.resolve("workflows")), "- uses: ");

    assertThat(uses).isNotEmpty();
    assertThat(uses)
        .allMatch(each -> each.matches("[a-z-]+/[a-z-]+@[0-9a-f]{40} # v\\d+[.]\\d+[.]\\d+"));
  }

  @Test
  void workflowsMayReadTheSourcesAndNoMore() throws IOException {
    for (Path workflow : files(GITHUB.resolve("workflows"))) {
      JsonNode content = new YAMLMapper().readTree(workflow.toFile());
      assertThat(content.get("permissions").toString()).isEqualTo("{\"contents\":\"read\"}");
      JsonNode more = content.get("jobs").findValue("permissions");
      if (workflow.endsWith("release.yml")) {
        // It publishes the release and the image.
        assertThat(more.toString()).isEqualTo("{\"contents\":\"write\",\"packages\":\"write\"}");
        assertThat(content.at("/on/push/tags")).hasSize(1);
        assertThat(content.at("/on/push").size()).isOne();
      } else {
        assertThat(more).isNull();
      }
    }
  }

  @Test
  void imagesThatOthersPublishAreNamedByDigest() throws IOException {
    List<String> images =
        Stream.of(
                lines(List.of(Path.of("Dockerfile")), "FROM "),
                lines(List.of(Path.of("deploy", "kind", "cluster.yaml")), "image: "))
            .flatMap(List::stream)
            .map(line -> line.replaceFirst(" AS .*", "").replaceFirst("^--platform=\\S+ ", ""))
            .toList();

    assertThat(images).hasSize(4);
    assertThat(images).allMatch(image -> image.matches("[a-z0-9./-]+:[^@]+@sha256:[0-9a-f]{64}"));
    // One Java: that which has built the program is linked for it.
    assertThat(images.subList(0, 2)).containsOnly(images.getFirst());
  }

  @Test
  void aBotKeepsUpWithEachKindOfDependency() throws IOException {
    JsonNode updates =
        new YAMLMapper().readTree(GITHUB.resolve("dependabot.yml").toFile()).get("updates");

    assertThat(updates.valueStream().map(update -> update.get("package-ecosystem").asText()))
        .containsExactlyInAnyOrder(
            "maven",
            "github-actions",
            "docker",
            "gomod",
            "gomod",
            "gomod",
            "gomod",
            "gomod",
            "gomod",
            "pip");
    assertThat(updates)
        .allSatisfy(
            update -> assertThat(Path.of("." + update.get("directory").asText())).isDirectory());
    List<String> modules;
    try (Stream<Path> files = Files.walk(Path.of("hack"))) {
      modules =
          files
              .filter(file -> file.endsWith("go.mod"))
              .map(file -> "/" + file.getParent())
              .toList();
    }
    assertThat(modules).contains("/hack/control-plane", "/hack/monitoring");
    assertThat(
            updates
                .valueStream()
                .filter(update -> update.get("package-ecosystem").asText().equals("gomod"))
                .map(update -> update.get("directory").asText()))
        .containsExactlyInAnyOrderElementsOf(modules);
  }

  /** A build that takes the time of the day into the jar is never the same twice. */
  @Test
  void theTimeOfABuildIsThatOfTheSources() throws IOException {
    assertThat(Files.readString(Path.of("pom.xml")))
        .containsPattern(
            Pattern.compile(
                "<project[.]build[.]outputTimestamp>\\d{4}-\\d\\d-\\d\\dT[0-9:]+Z</project"));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  /** What follows a word in the lines of files. */
  private static List<String> lines(List<Path> files, String word) throws IOException {
    List<String> found = new java.util.ArrayList<>();
    for (Path file : files) {
      Files.readAllLines(file).stream()
          .map(String::strip)
          .filter(line -> line.startsWith(word))
          .map(line -> line.substring(word.length()))
          .forEach(found::add);
    }
    return found;
  }
}
