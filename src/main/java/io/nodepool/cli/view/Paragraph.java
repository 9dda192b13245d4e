package io.nodepool.cli.view;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Words in styles, which can be broken into lines of any width. No word gets lost. */
final class Paragraph {
  /** Below this even a wide character would not fit. */
  private static final int NARROWEST = 2;

  private static final Pattern GAPS = Pattern.compile("[\\s\\p{Cntrl}]+");

  private final Theme theme;
  private final List<AttributedString> words = new ArrayList<>();

  Paragraph(Theme theme) {
    this.theme = theme;
  }

  /** Adds the words of a text. What a terminal could take for a command counts as a space. */
  Paragraph add(String text, Tone tone) {
    GAPS.splitAsStream(text)
        .filter(word -> !word.isEmpty())
        .map(word -> new AttributedString(theme.shown(word), theme.style(tone)))
        .forEach(words::add);
    return this;
  }

  /** Adds a text that is not broken where it fits into a line. */
  Paragraph add(AttributedString whole) {
    words.add(whole);
    return this;
  }

  /**
   * The lines.
   *
   * @param start what the first line begins with
   * @param indent how many spaces the others begin with
   */
  List<AttributedString> lines(AttributedString start, int indent, int width) {
    int room = Math.max(NARROWEST, width);
    int hanging = room - indent < Math.max(4, room / 2) ? Math.min(indent, room / 4) : indent;
    List<AttributedString> lines = new ArrayList<>();
    List<AttributedString> all = new ArrayList<>();
    AttributedStringBuilder line = new AttributedStringBuilder();
    if (start.columnLength() <= room / 2 || words.isEmpty() || fits(start, room)) {
      line.append(start);
    } else {
      all.add(start);
    }
    all.addAll(words);
    boolean begun = false;
    for (AttributedString word : all) {
      AttributedString rest = word;
      if (begun && line.columnLength() + 1 + rest.columnLength() > room) {
        lines.add(line.toAttributedString());
        line = indented(hanging);
        begun = false;
      }
      while (line.columnLength() + (begun ? 1 : 0) + rest.columnLength() > room) {
        int fits = room - line.columnLength();
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

  /** Whether the first word has room after what the line begins with. */
  private boolean fits(AttributedString start, int room) {
    return start.columnLength() + words.getFirst().columnLength() <= room;
  }

  /** The columns that the longest word takes. */
  int longestWord() {
    return words.stream().mapToInt(AttributedString::columnLength).max().orElse(0);
  }

  /** The lines, of which none begins with anything. */
  List<AttributedString> lines(int width) {
    return lines(AttributedString.EMPTY, 0, width);
  }

  private static AttributedStringBuilder indented(int spaces) {
    return new AttributedStringBuilder().append(" ".repeat(spaces));
  }
}
