package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
