package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a Dockerfile can be held to without an engine that builds it. */
class DockerfileTest {
  private final List<String> lines = read(Path.of("Dockerfile"));

  @Test
  void itRunsTheCommandAsTheUserOfTheChartWithoutAShell() throws IOException {
    assertThat(PodImage.instruction("USER")).isEqualTo("65532:65532");
    String[] entry =
        new ObjectMapper().readValue(PodImage.instruction("ENTRYPOINT"), String[].class);
    assertThat(entry).startsWith("java").endsWith("-jar", "/opt/nodepool/nodepool.jar");
    assertThat(
            Chart.render("{}")
                .get("Deployment", Chart.RELEASE)
                .at("/spec/template/spec/securityContext/runAsUser")
                .asText())
        .isEqualTo("65532");
  }

  @Test
  void itsLabelsSayWhatItIsAndTheJarSaysTheSameVersion() throws IOException {
    String text = String.join("\n", lines);
    assertThat(
            Pattern.compile("org[.]opencontainers[.]image[.]([a-z]+)=\"(.+)\"")
                .matcher(text)
                .results()
                .collect(Collectors.toMap(label -> label.group(1), label -> label.group(2))))
        .containsKey("description")
        .containsEntry("title", "nodepool-operator")
        .containsEntry("licenses", between(pom(), "name").get(1))
        .containsEntry("version", "$VERSION")
        .containsEntry("revision", "$REVISION")
        .containsEntry("source", "$SOURCE");
    assertThat(text).contains(" -Drevision=\"$VERSION\" -Dcommit=\"$REVISION\" ");
    // In both stages, since an argument belongs to one.
    assertThat(lines)
        .filteredOn(line -> line.equals("ARG VERSION=" + between(pom(), "revision").getFirst()))
        .hasSize(2);
  }

  /** The chart hands on the options of its user in JDK_JAVA_OPTIONS. */
  @Test
  void optionsOfTheUserPrecedeThoseOfTheImage() throws Exception {
    assertThat(inForce("")).contains("MaxRAMPercentage = 60.0", "TieredStopAtLevel = 1");
    assertThat(inForce("-XX:MaxRAMPercentage=50"))
        .contains("MaxRAMPercentage = 50.0", "TieredStopAtLevel = 1");
  }

  /** The flags with which the image runs a JVM whose user sets these options, spaces joined. */
  private static String inForce(String options) throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of(
                new ObjectMapper().readValue(PodImage.instruction("ENTRYPOINT"), String[].class)));
    words.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.replaceAll(word -> word.replace("/opt/nodepool/jvm.flags", "deploy/jvm.flags"));
    List<String> command = new ArrayList<>(words.subList(0, words.indexOf("-jar")));
    command.addAll(List.of("-XX:+PrintFlagsFinal", "-version"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JDK_JAVA_OPTIONS", options);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).describedAs(said).isZero();
    return said.replaceAll(" +", " ");
  }

  /** A build from the copied files alone has to find everything that the jar is made of. */
  @Test
  void itCopiesAllThatTheBuildReadsAndItsIgnoreFileLetsThatThrough() {
    List<String> copied =
        lines.stream()
            .filter(line -> line.startsWith("COPY ") && !line.contains("--from"))
            .flatMap(line -> {
              String[] words = line.split(" ");
              return Arrays.stream(words, 1, words.length - 1);
            })
            .toList();
    assertThat(copied).allSatisfy(path -> assertThat(Path.of(path)).exists());
    assertThat(resources()).isNotEmpty().allMatch(path -> isIn(copied, path));
    assertThat(read(Path.of(".dockerignore")))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of("# Only what the Dockerfile copies.", "*"),
                    copied.stream().map(path -> "!" + path))
                .toList());
  }

  private static boolean isIn(List<String> copied, String path) {
    return copied.stream().anyMatch(each -> path.equals(each) || path.startsWith(each + "/"));
  }

  /** The files and folders that the POM names as resources. */
  private static List<String> resources() {
    return Pattern.compile("(?s)<resource>(.*?)</resource>")
        .matcher(pom())
        .results()
        .flatMap(resource -> {
          String folder = between(resource.group(1), "directory").getFirst();
          List<String> files = between(resource.group(1), "include");
          return files.isEmpty()
              ? Stream.of(folder)
              : files.stream().map(file -> folder + "/" + file);
        })
        .toList();
  }

  private static String pom() {
    return String.join("\n", read(Path.of("pom.xml")));
  }

  private static List<String> between(String text, String tag) {
    return Pattern.compile("<%1$s>(.*?)</%1$s>".formatted(tag))
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
