package io.nodepool.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The page about conformance, and the pages that the rules refer to. */
class ConformancePageTest {
  private static final Path DOCS = Path.of("docs");

  @Test
  void thePageHasTheTableOfTheChecks() throws IOException {
    assertThat(Files.readString(DOCS.resolve("conformance.md")))
        .contains(ConformanceChecks.table());
  }

  @Test
  void eachRuleIsWhereItRefersTo() throws IOException {
    for (ConformanceCheck check : ConformanceChecks.all()) {
      String[] page = check.rule().page().split("#", 2);
      String text = Files.readString(DOCS.resolve(page[0]));
      if (page.length == 2) {
        assertThat(text.contains("<a id=\"" + page[1] + "\"></a>") || hasHeading(text, page[1]))
            .as(check.rule().page())
            .isTrue();
      }
    }
  }

  private static boolean hasHeading(String text, String anchor) {
    return text.lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceAll("^#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
        .anyMatch(anchor::equals);
  }
}
