package io.nodepool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a page links to exists, down to the heading or the anchor of a rule. */
class LinksTest {
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*\\.md)?(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(Path.of("docs"));
        Stream<Path> top = Files.list(Path.of(""));
        Stream<Path> chart = Files.list(Path.of("deploy", "chart"))) {
      return Stream.of(docs, top, chart)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  /** The headings of a page as GitHub names them, and its anchors. */
  private static Set<String> anchors(Path page) {
    String text = text(page);
    return Stream.concat(
            HEADING.matcher(text).results().map(LinksTest::name),
            ANCHOR.matcher(text).results().map(anchor -> anchor.group(1)))
        .collect(Collectors.toSet());
  }

  private static String name(MatchResult heading) {
    return heading
        .group(1)
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{IsAlphabetic}\\p{IsDigit}_\\- ]", "")
        .replace(' ', '-');
  }

  private static String text(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everyLinkToAPageOrAHeadingLeadsThere() throws IOException {
    List<String> dead = new ArrayList<>();
    for (Path page : pages()) {
      for (MatchResult link : LINK.matcher(text(page)).results().toList()) {
        Path target = link.group(1) == null ? page : page.resolveSibling(link.group(1)).normalize();
        boolean leads =
            Files.exists(target)
                && (link.group(2) == null || anchors(target).contains(link.group(2)));
        if (!leads && !link.group().contains("://")) {
          dead.add(page + ": " + link.group());
        }
      }
    }
    assertThat(dead).isEmpty();
  }
}
