package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.GeneratedText;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.Metric;
import io.nodepool.vocabulary.NotActedOn;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Asserts that the pages in {@code docs/reference/} match the code; with {@code
 * -Dreference.write=true} writes them.
 */
class ReferencePagesTest {
  private static final Path FOLDER = Path.of("docs", "reference");
  private static final Path MAIN = Path.of("src", "main", "java", "io", "nodepool");

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("reference.write")) {
      for (Map.Entry<Path, String> page : ReferencePages.texts().entrySet()) {
        Files.createDirectories(page.getKey().getParent());
        Files.writeString(page.getKey(), page.getValue());
      }
    }
  }

  @Test
  void theOperationsGuideNamesOnlyMetricsThatExist() throws IOException {
    String guide = Files.readString(FOLDER.resolveSibling("operate.md"));
    List<String> named =
        Pattern.compile("nodepool_[a-z_]+")
            .matcher(guide)
            .results()
            .map(MatchResult::group)
            .toList();

    assertThat(named)
        .isNotEmpty()
        .isSubsetOf(Arrays.stream(Metric.values()).flatMap(m -> m.names().stream()).toList());
  }

  @Test
  void wordsMarkedAsNotActedOnAreExactlyThoseThatTheCodeDoesNotUse() throws IOException {
    String code = codeOutsideOfTheVocabulary();
    // An Event of the oldest reference is emitted wherever the newer one is.
    Stream.concat(
            Arrays.stream(EventReason.values()).filter(event -> event.beside().isEmpty()),
            PoolCondition.allReasons().stream())
        .map(Enum.class::cast)
        .forEach(word ->
            assertThat(code.contains(word.getDeclaringClass().getSimpleName() + "." + word.name()))
                .as("%s is used outside of the vocabulary", word)
                .isEqualTo(ReferencePages.isActedOn(word)));
  }

  @Test
  void fieldsThatAreNotMarkedAreReadOrWritten() throws IOException {
    String conversion =
        Files.readString(
                MAIN.resolve("kubernetes").resolve("convert").resolve("PoolConversion.java"))
            + Files.readString(
                MAIN.resolve("kubernetes")
                    .resolve("convert")
                    .resolve("ConfigurationConversion.java"))
            + Files.readString(
                MAIN.resolve("kubernetes").resolve("convert").resolve("WorkingMemory.java"));
    for (Class<?> type : List.of(NodePoolSpec.class, NodePoolStatus.class)) {
      for (Field field : type.getFields()) {
        if (!field.isAnnotationPresent(NotActedOn.class)) {
          assertThat(conversion).contains("." + field.getName());
        }
      }
    }
  }

  private static String codeOutsideOfTheVocabulary() throws IOException {
    try (Stream<Path> files = Files.walk(MAIN)) {
      StringBuilder code = new StringBuilder();
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        if (!file.startsWith(MAIN.resolve("vocabulary"))) {
          code.append(Files.readString(file));
        }
      }
      return code.toString();
    }
  }

  @Test
  void thePagesMatchTheCode() throws IOException {
    for (Map.Entry<Path, String> page : ReferencePages.texts().entrySet()) {
      GeneratedText.assertSame(
          page.getKey(),
          page.getValue(),
          GeneratedText.writing(ReferencePagesTest.class, "reference.write"));
    }
  }
}
