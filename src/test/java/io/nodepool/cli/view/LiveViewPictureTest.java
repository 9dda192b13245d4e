package io.nodepool.cli.view;

import io.nodepool.GeneratedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that the picture in README.md is what the live view draws of the recorded run; writes it
 * with {@code -Dreference.write=true}.
 */
class LiveViewPictureTest {
  private static final Path FILE = Path.of("docs", "pictures", "live-view.svg");
  private static final Theme THEME = new Theme(true, true);
  private static final int COLUMNS = 110;
  private static final int ROWS = 48;
  private static final double CHARACTER = 7.8;
  private static final int LINE = 17;
  private static final int MARGIN = 14;
  private static final Pattern WORDS = Pattern.compile("\\S+(?: \\S+)*");

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(FILE, drawn());
    }
  }

  @Test
  void thePictureIsWhatTheLiveViewDraws() throws IOException {
    GeneratedText.assertSame(
        FILE, drawn(), GeneratedText.writing(LiveViewPictureTest.class, "reference.write"));
  }

  private static String drawn() throws IOException {
    Recording recording = Recording.read();
    Layout.Head head =
        new Layout.Head(List.of("export KUBECONFIG=/tmp/nodepool-dev-1/kubeconfig"), List.of());
    return svg(new Layout(THEME).lines(recording.view(), head, COLUMNS, ROWS, recording.at()));
  }

  private static String svg(List<AttributedString> lines) {
    StringBuilder text = new StringBuilder();
    long width = Math.round(COLUMNS * CHARACTER) + 2 * MARGIN;
    int height = lines.size() * LINE + 2 * MARGIN;
    text.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="The live view of nodepool dev">
        <style>
        text { font: 13px "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; fill: #c9d1d9 }
        .title { fill: #f0f6fc; font-weight: bold } .faint { fill: #8b949e } .good { fill: #3fb950 } .calm { fill: #39c5cf }
        .work { fill: #bc8cff } .warn { fill: #d29922 } .bad { fill: #f85149; font-weight: bold }
        </style>
        <rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
        """
            .formatted(width, height, width, height));
    for (int row = 0; row < lines.size(); row++) {
      line(text, lines.get(row), MARGIN + LINE * (row + 1) - 4);
    }
    return text.append("</svg>\n").toString();
  }

  /** A text for each part of one style without gaps, at its columns whatever the font is. */
  private static void line(StringBuilder text, AttributedString line, int y) {
    for (int from = 0; from < line.length(); from = line.runLimit(from)) {
      int start = from;
      String style = style(line.styleAt(from));
      WORDS
          .matcher(line.subSequence(from, line.runLimit(from)).toString())
          .results()
          .forEach(part ->
              text.append(
                  "<text y=\"%d\" %s%s>%s</text>\n"
                      .formatted(
                          y,
                          columns(start + part.start(), part.group()),
                          style,
                          part.group()
                              .replace("&", "&amp;")
                              .replace("<", "&lt;")
                              .replace(">", "&gt;"))));
    }
  }

  /** Symbols are as wide as their font has them, so each has its own place. */
  private static String columns(int from, String part) {
    return part.chars().allMatch(each -> each < 128)
        ? String.format(
            Locale.ROOT,
            "x=\"%.1f\" textLength=\"%.1f\"",
            MARGIN + from * CHARACTER,
            part.length() * CHARACTER)
        : IntStream.range(from, from + part.length())
            .mapToObj(column -> String.format(Locale.ROOT, "%.1f", MARGIN + column * CHARACTER))
            .collect(Collectors.joining(" ", "x=\"", "\""));
  }

  private static String style(AttributedStyle style) {
    return Arrays.stream(Tone.values())
        .filter(tone -> tone != Tone.PLAIN && THEME.style(tone).equals(style))
        .findFirst()
        .map(tone -> " class=\"%s\"".formatted(tone.name().toLowerCase(Locale.ROOT)))
        .orElse("");
  }
}
