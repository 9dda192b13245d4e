package io.nodepool.drill.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.UserText;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The fields of a part of a scenario.
 *
 * @param path its location, such as {@code drill.yaml: script[2].preempt}
 */
record Fields(String path, JsonNode node) {
  /** Up to this many known words are listed if none is similar. */
  private static final int NAMED = 20;

  /**
   * The fields of an object with only known fields.
   *
   * @throws ScenarioMistake if it has other fields, or is no object
   */
  static Fields of(String path, JsonNode node, Set<String> known) {
    if (!node.isObject()) {
      throw new ScenarioMistake(
          path, "must have fields (%s)".formatted(String.join(", ", new TreeSet<>(known))));
    }
    node.fieldNames()
        .forEachRemaining(name -> {
          if (!known.contains(name)) {
            throw new ScenarioMistake(path, "unknown field " + name + hint(name, known));
          }
        });
    return new Fields(path, node);
  }

  /** Suggests the most similar known word, or lists all. */
  static String hint(String typed, Set<String> known) {
    int most = Math.max(3, typed.length() / 2);
    return known.stream()
        .filter(word -> UserText.misspelling(typed, word) <= most)
        .min(
            Comparator.<String>comparingInt(word -> UserText.misspelling(typed, word))
                .thenComparing(Comparator.naturalOrder()))
        .map("; did you mean %s?"::formatted)
        .orElseGet(() ->
            known.size() > NAMED ? "" : "; known are " + String.join(", ", new TreeSet<>(known)));
  }

  boolean has(String name) {
    return node.has(name) && !node.get(name).isNull();
  }

  JsonNode get(String name) {
    return node.path(name);
  }

  String at(String name) {
    return path.endsWith(": ") ? path + name : path + "." + name;
  }

  Optional<String> text(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    if (!node.get(name).isValueNode()) {
      throw new ScenarioMistake(at(name), "must be a text");
    }
    return Optional.of(node.get(name).asText());
  }

  String required(String name, String example) {
    return text(name)
        .orElseThrow(
            () -> new ScenarioMistake(path, "lacks %s, as in %s".formatted(name, example)));
  }

  boolean flag(String name) {
    if (has(name) && !node.get(name).isBoolean()) {
      throw new ScenarioMistake(at(name), "must be true or false");
    }
    return node.path(name).asBoolean(false);
  }

  OptionalInt number(String name, int least) {
    if (!has(name)) {
      return OptionalInt.empty();
    }
    JsonNode value = node.get(name);
    if (!value.isIntegralNumber() || !value.canConvertToInt() || value.asInt() < least) {
      throw new ScenarioMistake(at(name), "%s is no whole number from %d".formatted(value, least));
    }
    return OptionalInt.of(value.asInt());
  }

  int requiredNumber(String name, int least, String example) {
    return number(name, least)
        .orElseThrow(
            () -> new ScenarioMistake(path, "lacks %s, as in %s".formatted(name, example)));
  }

  Optional<Duration> duration(String name) {
    return text(name).map(text -> duration(at(name), text));
  }

  Duration requiredDuration(String name, String example) {
    return duration(at(name), required(name, example));
  }

  /** A duration above 0, which may begin with days, as in {@code 2d12h}. */
  static Duration duration(String where, String text) {
    int days = text.indexOf('d');
    String count = days < 0 ? "0" : text.substring(0, days);
    String rest = text.substring(days + 1);
    Optional<Duration> time =
        days >= 0 && rest.isEmpty() ? Optional.of(Duration.ZERO) : DurationText.parse(rest);
    if (!count.matches("[0-9]{1,5}") || time.isEmpty()) {
      throw new ScenarioMistake(
          where, "\"%s\" is no duration, such as 90s, 1h30m or 2d".formatted(text));
    }
    return Duration.ofDays(Long.parseLong(count)).plus(time.get());
  }

  List<String> texts(String name) {
    if (!has(name)) {
      return List.of();
    }
    if (!node.get(name).isArray()) {
      throw new ScenarioMistake(at(name), "must be a list, as in [g1, g2]");
    }
    return node.get(name).valueStream().map(JsonNode::asText).toList();
  }

  List<JsonNode> items(String name) {
    if (!has(name)) {
      return List.of();
    }
    if (!node.get(name).isArray()) {
      throw new ScenarioMistake(at(name), "must be a list");
    }
    return node.get(name).valueStream().toList();
  }
}
