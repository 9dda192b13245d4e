package io.nodepool.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The rules for Prometheus, as their file has them. */
public final class MonitoringRules {
  static final Path FILE = Path.of("deploy", "monitoring", "rules.yaml");

  private MonitoringRules() {}

  /**
   * A rule.
   *
   * @param name of the alert, or of what is recorded
   * @param delay how long it must hold until the alert fires; empty text for none
   */
  public record Rule(boolean isAlert, String name, String expression, String delay, Alert alert) {}

  /** What an alert says; empty texts for a record. */
  public record Alert(String severity, String summary, String runbook) {}

  /** All rules, in their order. */
  public static List<Rule> all() {
    return items(read(FILE).path("groups"))
        .flatMap(group -> items(group.path("rules")))
        .map(MonitoringRules::rule)
        .toList();
  }

  private static Rule rule(JsonNode rule) {
    boolean isAlert = rule.has("alert");
    return new Rule(
        isAlert,
        rule.path(isAlert ? "alert" : "record").asText(),
        rule.path("expr").asText(),
        rule.path("for").asText(),
        new Alert(
            rule.at("/labels/severity").asText(),
            rule.at("/annotations/summary").asText(),
            rule.at("/annotations/runbook").asText()));
  }

  /** A YAML document. */
  static JsonNode read(Path file) {
    try {
      return Chart.parse(Files.readString(file)).getFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<JsonNode> items(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }
}
