package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.nodepool.GeneratedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README of the chart has every value: its path, its default, and what values.yaml says. */
class ChartReadmeTest {
  private static final Path README = Chart.FOLDER.resolve("README.md");
  private static final Path VALUES = Chart.FOLDER.resolve("values.yaml");
  private static final Path SCHEMA = Chart.FOLDER.resolve("values.schema.json");
  private static final Pattern KEY = Pattern.compile("^( *)([A-Za-z]+):.*$");

  /** Values with parts that are a user's own, or have a page of their own. */
  private static final Pattern WHOLE =
      Pattern.compile("dataCentre\\.spec|.*\\.(resources|podLabels|labels)");

  private static final String HEADER =
      """
      # nodepool-operator

      <!-- Generated from values.yaml. To regenerate: ./mvnw test -Pquick -Dtest=ChartReadmeTest -Dreference.write=true -->

      Node pools over a bare-metal fleet, with a simulated data centre to try them on.
      [docs/install.md](../../docs/install.md) says how to install it, what it needs, and how to upgrade it.

      | value | default | meaning |
      |---|---|---|
      """;

  @Test
  void theReadmeHasEveryValue() throws IOException {
    String text = text();
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(README, text);
    }
    GeneratedText.assertSame(
        README, text, GeneratedText.writing(ChartReadmeTest.class, "reference.write"));
  }

  @Test
  void theSchemaHasTheSameValues() throws IOException {
    JsonNode schema = new ObjectMapper().readTree(SCHEMA.toFile());
    List<String> defined = new ArrayList<>();
    properties("", schema, schema, defined);
    assertThat(new TreeSet<>(values().keySet())).isSubsetOf(defined).hasSizeGreaterThan(40);
  }

  private static JsonNode resolved(JsonNode root, JsonNode part) {
    String reference = part.path("$ref").asText("");
    return reference.isEmpty() ? part : root.at(reference.substring(1));
  }

  private static void properties(String path, JsonNode schema, JsonNode root, List<String> found) {
    schema
        .path("properties")
        .properties()
        .forEach(each -> {
          String below = path.isEmpty() ? each.getKey() : path + "." + each.getKey();
          found.add(below);
          properties(below, resolved(root, each.getValue()), root, found);
        });
  }

  private static String text() throws IOException {
    Map<String, String> comments = comments();
    StringBuilder text = new StringBuilder(HEADER);
    values()
        .forEach((path, value) ->
            text.append("| `%s` | `%s` | %s |%n".formatted(path, value, said(path, comments))));
    return text.toString();
  }

  /**
   * What is said of a value, else of the same one of the operator, else of what it is a part of.
   */
  private static String said(String path, Map<String, String> comments) {
    String said =
        comments.getOrDefault(
            path, comments.getOrDefault(path.replace("dataCentre.", "operator."), ""));
    if (!said.isEmpty() || !path.contains(".")) {
      assertThat(said).as(path).isNotEmpty();
      return said;
    }
    return said(path.substring(0, path.lastIndexOf('.')), comments);
  }

  /** The defaults by path, in the order of the file. */
  private static Map<String, String> values() throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    leaves("", new YAMLMapper().readTree(VALUES.toFile()), values);
    return values;
  }

  private static void leaves(String path, JsonNode value, Map<String, String> found) {
    if (path.equals("dataCentre.spec")) {
      found.put(path, "...");
    } else if (value.isObject() && !value.isEmpty() && !WHOLE.matcher(path).matches()) {
      value
          .properties()
          .forEach(each ->
              leaves(
                  path.isEmpty() ? each.getKey() : path + "." + each.getKey(),
                  each.getValue(),
                  found));
    } else {
      found.put(path, value.toString());
    }
  }

  /** The comments before the keys, by path. */
  private static Map<String, String> comments() throws IOException {
    Map<String, String> comments = new HashMap<>();
    List<String> path = new ArrayList<>();
    List<String> pending = new ArrayList<>();
    for (String line : Files.readAllLines(VALUES)) {
      Matcher key = KEY.matcher(line);
      if (line.strip().startsWith("#")) {
        pending.add(line.strip().substring(1).strip());
      } else if (line.isBlank()) {
        pending.clear();
      } else if (key.matches()) {
        int depth = key.group(1).length() / 2;
        path = new ArrayList<>(path.subList(0, Math.min(depth, path.size())));
        path.add(key.group(2));
        if (!pending.isEmpty()) {
          comments.putIfAbsent(String.join(".", path), String.join(" ", pending));
        }
        pending.clear();
      }
    }
    return comments;
  }
}
