package io.nodepool.gitops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * NodePools as a real API server stored them, one for each combination of the reasons of Validated,
 * Quota, Capacity and AtTarget that was seen; ReasonsIT writes them.
 */
public final class RecordedPools {
  /** Where they are. */
  public static final Path FOLDER = Path.of("src", "test", "resources", "pools");

  private static final Map<String, String> FLUX =
      Map.of("Healthy", "Current", "Progressing", "InProgress", "Degraded", "Failed");

  private RecordedPools() {}

  /** All of them, by their reasons. */
  static Map<String, JsonNode> all() throws IOException {
    Map<String, JsonNode> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.sorted().toList()) {
        all.put(
            file.getFileName().toString().replaceFirst("[.]yaml$", ""),
            new ObjectMapper(new YAMLFactory()).readTree(file.toFile()));
      }
    }
    return all;
  }

  /**
   * Asserts that both checks find of a pool that is not paused what {@code docs/gitops.md} says,
   * and that Argo CD shows the message of a condition.
   *
   * @param standing the reasons of its conditions
   */
  public static void assertHealth(HealthChecks checks, String standing, JsonNode pool) {
    String expected =
        standing.matches(".*Validated-(Invalid|NodeConfigInternalError).*")
            ? "Degraded"
            : standing.contains("AtTarget-TargetMet")
                ? "Healthy"
                : standing.matches(".*Quota-(Over|NotSet).*") ? "Degraded" : "Progressing";
    HealthChecks.Health argo = checks.ofArgo(pool);

    assertThat(argo.status()).as(standing).isEqualTo(expected);
    assertThat(checks.ofFlux(pool)).as(standing).isEqualTo(FLUX.get(expected));
    assertThat(pool.at("/status/conditions").findValuesAsText("message"))
        .as(standing)
        .contains(argo.message());
  }
}
