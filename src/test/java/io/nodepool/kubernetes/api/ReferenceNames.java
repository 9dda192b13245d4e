package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.ReferenceAlerts;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.MetadataKey;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.PodLabels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The names that CoreWeave's pages print, with the test that shows each of them here. */
final class ReferenceNames {
  /** Written by hand. */
  static final Path FILE = Path.of("src", "test", "resources", "reference-names.txt");

  private static final JsonNode SCHEMA =
      CrdFiles.tree(NodePool.class).at("/spec/versions/0/schema/openAPIV3Schema");

  /** What every object has. */
  private static final List<String> OF_OBJECTS = List.of("apiVersion", "kind", "metadata");

  /**
   * A name.
   *
   * @param name of a reason: its condition, a blank and it
   * @param documents the pages that have it, as in {@link NamesPage}
   * @param test {@code Class#method}; behind a blank what has the names that it expects, if that is
   *     elsewhere
   * @param note why it is not a name here, or not acted on; else empty
   */
  record Row(String kind, String name, String documents, String test, String note) {
    /** Whether a name of ours that something is done with is this one. */
    boolean isOurs() {
      return words(kind, name).stream().anyMatch(Word::actedOn);
    }

    /** What is wrong with its test, and what to do; empty if it shows the name. */
    String complaint() {
      String[] parts = test.split("[# ]", -1);
      Predicate<String> mentions = mentions();
      if (parts.length >= 2
          && TestCode.of(parts[0]).shows(parts[1], parts.length == 3 ? parts[2] : "", mentions)) {
        return "";
      }
      return "%s %s: %s. Name a test in %s that asserts on %s; these do: %s"
          .formatted(
              kind,
              name,
              test.isEmpty() ? "no test shows it" : test + " does not assert on it",
              FILE,
              String.join(
                  " or ",
                  Stream.concat(
                          Stream.of('"' + name + '"'),
                          words(kind, name).stream()
                              .map(Word::constant)
                              .filter(each -> !each.isEmpty()))
                      .toList()),
              TestCode.showing(mentions));
    }

    /** Whether code has the name in a text or as its constant, or a field by its name. */
    private Predicate<String> mentions() {
      List<Pattern> constants =
          words(kind, name).stream()
              .map(Word::constant)
              .filter(each -> !each.isEmpty())
              .map(each -> Pattern.compile("\\b" + Pattern.quote(each) + "\\b"))
              .toList();
      Predicate<String> written = written();
      return code ->
          constants.stream().anyMatch(each -> each.matcher(code).find()) || written.test(code);
    }

    private Predicate<String> written() {
      if (kind.equals("field")) {
        String[] parts = name.split("\\.", -1);
        String last = "\\b%s\\b".formatted(parts[parts.length - 1]);
        return Pattern.compile(
                parts.length < 3
                    ? last
                    : "(?s)%s.*?%s".formatted(parts[parts.length - 2].replaceAll("s$", ""), last))
            .asPredicate();
      }
      if (kind.equals("reason")) {
        String[] parts = name.split(" ", -1);
        return Pattern.compile(
                "\\b%s(?:\\W{1,3}|\",\\s*\")(?:(?:True|False|Unknown)\\W{1,2})?%s\\b"
                    .formatted(parts[0], parts[1]))
            .asPredicate();
      }
      Predicate<String> word =
          Pattern.compile("(?<![\\w/.-])%s(?![\\w/-])".formatted(Pattern.quote(name)))
              .asPredicate();
      return code -> TestCode.texts(code).anyMatch(word);
    }
  }

  /**
   * A word of the vocabulary.
   *
   * @param constant as it is written in code; empty if it is no constant
   */
  private record Word(String constant, boolean actedOn) {
    static Word of(Enum<?> word) {
      return new Word(
          word.getDeclaringClass().getSimpleName() + "." + word.name(),
          ReferencePages.isActedOn(word));
    }
  }

  private ReferenceNames() {}

  /** All of them, in the order of the file. */
  static List<Row> read() {
    try {
      return Files.readAllLines(FILE).stream()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" *\\| ?", 5))
          .flatMap(row ->
              // They have a file of their own.
              row[1].equals("*")
                  ? ReferenceAlerts.read().stream().map(alert -> of(row, alert.name()))
                  : Stream.of(of(row, row[1])))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Row of(String[] row, String name) {
    return new Row(row[0], name, row[2], row[3], row.length == 5 ? row[4] : "");
  }

  private static List<Word> words(String kind, String name) {
    return switch (kind) {
      case "condition" ->
          Stream.concat(
                  Stream.of(PoolCondition.values()).filter(each -> each.type().equals(name)),
                  Stream.of(NodeCondition.values()).filter(each -> each.type().equals(name)))
              .map(Word::of)
              .toList();
      case "reason" ->
          PoolCondition.allReasons().stream()
              .filter(each -> (each.condition().type() + " " + each.word()).equals(name))
              .map(each -> Word.of((Enum<?>) each))
              .toList();
      case "Event" ->
          Stream.of(EventReason.values())
              .filter(each -> each.word().equals(name))
              .map(Word::of)
              .toList();
      case "alert" ->
          AlertCatalogue.shipped().all().stream()
              .filter(each -> each.name().equals(name))
              .map(_ -> new Word("", true))
              .toList();
      case "label" ->
          Stream.<MetadataKey[]>of(
                  NodeLabels.values(), PodLabels.values(), NamespaceLabels.values())
              .flatMap(Stream::of)
              .filter(each -> each.key().equals(name))
              .map(each -> Word.of((Enum<?>) each))
              .toList();
      case "taint" ->
          Stream.of(NodeTaints.values())
              .filter(each -> each.key().equals(name))
              .map(Word::of)
              .toList();
      case "field" -> fields(name);
      default -> throw new AssertionError(kind + " is no kind of name");
    };
  }

  private static List<Word> fields(String path) {
    JsonNode schema = SCHEMA;
    boolean actedOn = true;
    for (String part : path.split("\\.", -1)) {
      schema = schema.has("items") ? schema.path("items") : schema;
      schema = schema.path("properties").path(part);
      actedOn &= !schema.path("description").asText().endsWith(CrdSchema.NOT_ACTED_ON);
    }
    return schema.isMissingNode() && !OF_OBJECTS.contains(path)
        ? List.of()
        : List.of(new Word("", actedOn));
  }
}
