package io.nodepool.world;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Checks a value against a schema of a CRD, as the API server does. A field that the schema does
 * not have, which the server would silently drop, is a violation too.
 */
final class CrdSchemaCheck {
  private static final Pattern DATE_TIME =
      Pattern.compile("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})");

  private CrdSchemaCheck() {}

  /** The first violation; empty if the value is valid. */
  static Optional<String> violation(String path, JsonNode schema, JsonNode value) {
    if (schema.isMissingNode()) {
      return Optional.of(path + ": no field of the schema");
    }
    if (value.isNull()) {
      return schema.path("nullable").asBoolean() ? Optional.empty() : Optional.of(path + ": null");
    }
    return switch (schema.path("type").asText()) {
      case "object" -> value.isObject() ? object(path, schema, value) : wrong(path, schema, value);
      case "array" -> value.isArray() ? array(path, schema, value) : wrong(path, schema, value);
      case "string" -> value.isTextual() ? text(path, schema, value) : wrong(path, schema, value);
      case "integer" ->
          value.isIntegralNumber() ? number(path, schema, value) : wrong(path, schema, value);
      case "boolean" -> value.isBoolean() ? Optional.empty() : wrong(path, schema, value);
      case "" ->
          unless(
              schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(), path, "has no type");
      default -> Optional.of(path + ": a type that is not checked: " + schema.path("type"));
    };
  }

  private static Optional<String> wrong(String path, JsonNode schema, JsonNode value) {
    return Optional.of(
        "%s: must be of type %s: %s".formatted(path, schema.path("type").asText(), value));
  }

  private static Optional<String> unless(boolean valid, String path, String why) {
    return valid ? Optional.empty() : Optional.of(path + ": " + why);
  }

  private static Optional<String> first(Stream<Optional<String>> violations) {
    return violations.flatMap(Optional::stream).findFirst();
  }

  private static Optional<String> object(String path, JsonNode schema, JsonNode value) {
    JsonNode others = schema.path("additionalProperties");
    List<Optional<String>> found = new ArrayList<>();
    for (JsonNode name : schema.path("required")) {
      found.add(unless(value.has(name.asText()), path + "." + name.asText(), "Required value"));
    }
    found.add(atMost(path, schema, "maxProperties", value.size(), "properties"));
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      JsonNode property = schema.path("properties").path(entry.getKey());
      found.add(
          violation(
              path + "." + entry.getKey(),
              property.isMissingNode() ? others : property,
              entry.getValue()));
    }
    return first(found.stream());
  }

  private static Optional<String> array(String path, JsonNode schema, JsonNode value) {
    Set<List<JsonNode>> keys = new HashSet<>();
    boolean keyed = schema.path("x-kubernetes-list-type").asText().equals("map");
    Optional<String> size = atMost(path, schema, "maxItems", value.size(), "items");
    return size.or(() ->
        first(
            IntStream.range(0, value.size())
                .mapToObj(i ->
                    violation(path + "[" + i + "]", schema.path("items"), value.get(i))
                        .or(() ->
                            unless(
                                !keyed || keys.add(key(schema, value.get(i))),
                                path + "[" + i + "]",
                                "Duplicate value")))));
  }

  private static List<JsonNode> key(JsonNode schema, JsonNode item) {
    List<JsonNode> key = new ArrayList<>();
    schema.path("x-kubernetes-list-map-keys").forEach(name -> key.add(item.path(name.asText())));
    return key;
  }

  private static Optional<String> text(String path, JsonNode schema, JsonNode value) {
    String text = value.asText();
    int length = text.codePointCount(0, text.length());
    List<String> words = new ArrayList<>();
    schema.path("enum").forEach(word -> words.add(word.asText()));
    return atMost(path, schema, "maxLength", length, "characters")
        .or(() ->
            unless(
                length >= schema.path("minLength").asInt(),
                path,
                "must have at least " + schema.path("minLength").asInt() + " characters"))
        .or(() ->
            unless(words.isEmpty() || words.contains(text), path, "Unsupported value: " + text))
        .or(() ->
            unless(
                !schema.path("format").asText().equals("date-time")
                    || DATE_TIME.matcher(text).matches(),
                path,
                "must be a date-time: " + text))
        .or(() ->
            unless(
                !schema.has("pattern")
                    || Pattern.compile(schema.path("pattern").asText()).matcher(text).find(),
                path,
                "does not match " + schema.path("pattern").asText()));
  }

  private static Optional<String> number(String path, JsonNode schema, JsonNode value) {
    return unless(
            !schema.has("minimum") || value.asLong() >= schema.path("minimum").asLong(),
            path,
            "is too small: " + value)
        .or(() -> atMost(path, schema, "maximum", value.asLong(), ""));
  }

  private static Optional<String> atMost(
      String path, JsonNode schema, String limit, long actual, String unit) {
    return unless(
        !schema.has(limit) || actual <= schema.path(limit).asLong(),
        path,
        "Too many: %d %s, at most %s".formatted(actual, unit, schema.path(limit)));
  }
}
