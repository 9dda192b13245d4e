package io.nodepool.cli.view;

import io.nodepool.vocabulary.UserText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Styled words that are wrapped into lines of any width without losing a word. */
final class Paragraph {
  /** The minimum width, which fits one wide character. */
  private static final int NARROWEST = 2;

  private static final Pattern GAPS =
      Pattern.compile("(?:\\s|%s)+".formatted(UserText.CONTROL.pattern()));

  private final Theme theme;
  private final List<AttributedString> words = new ArrayList<>();

  Paragraph(Theme theme) {
    this.theme = theme;
  }

  /** Adds the words of a text. Control characters count as spaces. */
  Paragraph add(String text, Tone tone) {
    GAPS.splitAsStream(text)
        .filter(word -> !word.isEmpty())
        .map(word -> new AttributedString(theme.shown(word), theme.style(tone)))
        .forEach(words::add);
    return this;
  }

  /** Adds a text that is not broken if it fits into a line. */
  Paragraph add(AttributedString whole) {
    words.add(whole);
    return this;
  }

  /**
   * The lines.
   *
   * @param start the start of the first line
   * @param indent the number of spaces at the start of the other lines
   */
  List<AttributedString> lines(AttributedString start, int indent, int width) {
    int available = Math.max(NARROWEST, width);
    int hanging =
        available - indent < Math.max(4, available / 2) ? Math.min(indent, available / 4) : indent;
    List<AttributedString> lines = new ArrayList<>();
    List<AttributedString> all = new ArrayList<>();
    AttributedStringBuilder line = new AttributedStringBuilder();
    if (start.columnLength() <= available / 2 || words.isEmpty() || fits(start, available)) {
      line.append(start);
    } else {
      all.add(start);
    }
    all.addAll(words);
    boolean begun = false;
    for (AttributedString word : all) {
      AttributedString rest = word;
      if (begun && line.columnLength() + 1 + rest.columnLength() > available) {
        lines.add(line.toAttributedString());
        line = indented(hanging);
        begun = false;
      }
      while (line.columnLength() + (begun ? 1 : 0) + rest.columnLength() > available) {
        int fits = available - line.columnLength();
        if (fits >= NARROWEST) {
          AttributedString part = rest.columnSubSequence(0, fits);
          line.append(part);
          rest = rest.subSequence(part.length(), rest.length());
        }
        lines.add(line.toAttributedString());
        line = indented(hanging);
      }
      line.append(begun ? " " : "", AttributedStyle.DEFAULT).append(rest);
      begun = true;
    }
    lines.add(line.toAttributedString());
    return lines;
  }

  /** Whether the first word fits after the start of the line. */
  private boolean fits(AttributedString start, int available) {
    return start.columnLength() + words.getFirst().columnLength() <= available;
  }

  /** The width of the longest word in columns. */
  int longestWord() {
    return words.stream().mapToInt(AttributedString::columnLength).max().orElse(0);
  }

  /** The lines with these numbers of spaces before the first line, and before the others. */
  List<AttributedString> lines(int first, int indent, int width) {
    return lines(new AttributedString(" ".repeat(first)), indent, width);
  }

  /** The lines without indentation. */
  List<AttributedString> lines(int width) {
    return lines(0, 0, width);
  }

  private static AttributedStringBuilder indented(int spaces) {
    return new AttributedStringBuilder().append(" ".repeat(spaces));
  }
}
