package io.nodepool;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each numbered rule that is cited stands at one place of docs, as {@code hack/rules.sh} lists. */
class RulesTest {
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"d(\\d+)\">");
  private static final Pattern CITED =
      Pattern.compile("\\bD\\d{1,3}\\b|\\b[Dd]ecisions?[\\s*]+\\d+(?:(?:, | and | to | or )\\d+)*");
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private static Stream<String> texts(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(folder))) {
      return files
          .filter(file -> file.toString().matches(".*\\.(java|md|ya?ml|json|properties)"))
          .map(RulesTest::text)
          .toList()
          .stream();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<Integer, Long> standing() throws IOException {
    return texts("docs")
        .flatMap(page -> ANCHOR.matcher(page).results())
        .collect(groupingBy(anchor -> Integer.valueOf(anchor.group(1)), TreeMap::new, counting()));
  }

  @Test
  void noRuleStandsTwice() throws IOException {
    assertThat(standing()).isNotEmpty().allSatisfy((number, times) -> assertThat(times).isOne());
  }

  @Test
  void eachRuleThatIsCitedStandsSomewhere() throws IOException {
    Set<Integer> cited = new TreeSet<>();
    for (String folder : new String[] {"src", "deploy", "crds", "docs"}) {
      cited.addAll(
          texts(folder)
              .flatMap(text -> CITED.matcher(text).results())
              .flatMap(citation -> NUMBER.matcher(citation.group()).results())
              .map(MatchResult::group)
              .map(Integer::valueOf)
              .collect(toCollection(TreeSet::new)));
    }

    assertThat(standing().keySet()).containsAll(cited);
  }
}
