package io.nodepool.cli.view;

import org.jline.utils.AttributedStyle;

/**
 * What a terminal can show. Nothing is told by colour alone.
 *
 * @param colour whether colours are wanted
 * @param unicode whether characters outside of ASCII can be shown
 */
public record Theme(boolean colour, boolean unicode) {

  /** The style of a tone. */
  AttributedStyle style(Tone tone) {
    AttributedStyle plain = AttributedStyle.DEFAULT;
    return switch (tone) {
      case PLAIN -> plain;
      case TITLE -> plain.bold();
      case FAINT -> plain.faint();
      case GOOD -> colour(AttributedStyle.GREEN, plain);
      case CALM -> colour(AttributedStyle.CYAN, plain);
      case WORK -> colour(AttributedStyle.MAGENTA, plain);
      case WARN -> colour(AttributedStyle.YELLOW, plain);
      case BAD -> colour(AttributedStyle.RED, plain).bold();
    };
  }

  private AttributedStyle colour(int number, AttributedStyle style) {
    return colour ? style.foreground(number) : style;
  }

  /** One of two texts: the second where there is only ASCII. */
  String pick(String unicodeText, String asciiText) {
    return unicode ? unicodeText : asciiText;
  }

  /** What stands for things that are left out. */
  String ellipsis() {
    return pick("…", "...");
  }
}
