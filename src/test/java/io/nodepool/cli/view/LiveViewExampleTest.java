package io.nodepool.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.GeneratedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that the example in {@code docs/reference/live-view.md} matches the code; writes it with
 * {@code -Dreference.write=true}.
 */
class LiveViewExampleTest {
  private static final Path PAGE = Path.of("docs", "reference", "live-view.md");
  private static final Pattern PLACE =
      Pattern.compile("(?s)(<!-- live view: [^\n]*-->\n)(.*)(<!-- end of live view -->\n)");

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(PAGE, generated());
    }
  }

  @Test
  void theExampleIsWhatTheCodeDraws() throws IOException {
    assertThat(Files.readString(PAGE)).containsPattern(PLACE);
    GeneratedText.assertSame(
        PAGE, generated(), GeneratedText.writing(LiveViewExampleTest.class, "reference.write"));
  }

  /** The page with the example that the code draws. */
  private static String generated() throws IOException {
    return PLACE
        .matcher(Files.readString(PAGE))
        .replaceFirst(
            place -> Matcher.quoteReplacement(place.group(1) + example() + place.group(3)));
  }

  private static String example() {
    Layout.Head head =
        new Layout.Head(List.of("export KUBECONFIG=/tmp/nodepool-dev-1/kubeconfig"), List.of());
    String drawn =
        LayoutTest.text(
            new Layout(new Theme(false, true))
                .lines(Pictures.ordinary(), head, 100, 40, Pictures.NOW));
    StringBuilder text = new StringBuilder("\n```text\n" + drawn + "\n```\n\n");
    text.append("| machine | in ASCII | | |\n|---|---|---|---|\n");
    for (MachineState state : MachineState.values()) {
      text.append(
          "| `%s` | `%s` | %s | %s |\n"
              .formatted(state.symbol(true), state.symbol(false), state.word(), state.meaning()));
    }
    return text.append("\n").toString();
  }
}
