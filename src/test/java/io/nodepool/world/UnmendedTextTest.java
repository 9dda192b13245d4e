package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.nodepool.world.check.untruth.UnmendedText;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is said and not so, or not said and so, and is not mended yet: docs/testing.md lists it,
 * each with a scenario that shows it with seed 0 and without faults, or with a seed of {@link
 * RoughWorldTest}. One that no longer occurs there is taken off the list, with its entry in {@link
 * UnmendedText}.
 */
@Tag("world")
class UnmendedTextTest {
  /** A line of the list in docs/testing.md: the find and the scenario. */
  private static final Pattern LISTED = Pattern.compile("\\| not mended: ([^|]+) \\| ([^|]+) \\|");

  private static final Pattern ROUGH = Pattern.compile("RoughWorldTest, seed (\\d+)");

  private static final Map<String, Scenario> SCENARIOS = new TreeMap<>();

  static {
    Stream.concat(Scenario.all(), UntruthScenarios.all())
        .forEach(scenario -> SCENARIOS.put(scenario.name(), scenario));
  }

  /** A find with the scenario that shows it. */
  record Listed(String text, String scenario) {
    @Override
    public String toString() {
      return text;
    }
  }

  static Stream<Listed> listed() throws IOException {
    return Files.readAllLines(Path.of("docs/testing.md")).stream()
        .map(LISTED::matcher)
        .filter(Matcher::matches)
        .map(line -> new Listed(line.group(1), line.group(2)));
  }

  @Test
  void theListIsComplete() throws IOException {
    List<String> texts = Stream.of(UnmendedText.values()).map(UnmendedText::text).toList();
    assertThat(listed().map(Listed::text)).containsExactlyElementsOf(texts);
  }

  @ParameterizedTest
  @MethodSource("listed")
  void itStillOccurs(Listed listed) {
    Matcher rough = ROUGH.matcher(listed.scenario());
    Set<UnmendedText> found =
        rough.matches() ? inRoughWorld(Long.parseLong(rough.group(1))) : in(listed.scenario());
    assertThat(found.stream().map(UnmendedText::text))
        .describedAs("what %s shows", listed.scenario())
        .contains(listed.text());
  }

  /** A text that is not on the list ends its run; so does one that comes back. */
  @ParameterizedTest
  @MethodSource("io.nodepool.world.UntruthScenarios#all")
  void nothingElseIsFound(Scenario scenario) {
    assertThatCode(() -> in(scenario)).doesNotThrowAnyException();
  }

  private static Set<UnmendedText> in(String name) {
    assertThat(SCENARIOS).containsKey(name);
    return in(Objects.requireNonNull(SCENARIOS.get(name)));
  }

  private static Set<UnmendedText> in(Scenario scenario) {
    Drill drill = Drill.with(0, scenario.dataCentre(), Faults.NONE, OperatorOverrides.AS_BUILT);
    scenario.play().accept(drill);
    drill.toRest();
    return drill.world.unmended();
  }

  private static Set<UnmendedText> inRoughWorld(long seed) {
    Census census = new Census();
    assertThat(Monkey.failure(seed, false, OperatorOverrides.AS_BUILT, census)).isEmpty();
    return census.unmended();
  }
}
