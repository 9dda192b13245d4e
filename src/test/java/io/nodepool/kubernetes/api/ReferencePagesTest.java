package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Holds the pages in {@code docs/reference/} to the code; with {@code -Dreference.write=true}
 * writes them.
 */
class ReferencePagesTest {
  private static final Path FOLDER = Path.of("docs", "reference");

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("reference.write")) {
      Files.createDirectories(FOLDER);
      for (Map.Entry<String, String> page : ReferencePages.texts().entrySet()) {
        Files.writeString(FOLDER.resolve(page.getKey()), page.getValue());
      }
    }
  }

  @Test
  void theGuideForThoseWhoRunItNamesOnlyMetricsThatExist() throws IOException {
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
  void thePagesAreWhatTheCodeSays() {
    assertThat(ReferencePages.texts())
        .allSatisfy((name, text) ->
            assertThat(FOLDER.resolve(name))
                .as(
                    "docs/reference differs from the code; run: mvn test -Dtest=ReferencePagesTest -Dreference.write=true")
                .content()
                .isEqualTo(text));
  }
}
