package io.nodepool.cli.view;

import java.util.regex.Pattern;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/**
 * What a terminal can show. Nothing is told by colour alone.
 *
 * @param colour whether colours are wanted
 * @param unicode whether characters outside of ASCII can be shown
 */
public record Theme(boolean colour, boolean unicode) {
  private static final Pattern COMMANDS = Pattern.compile("\\p{Cntrl}");
  private static final Pattern BEYOND_ASCII = Pattern.compile("[^\\x20-\\x7e]");

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

  /** A text as it can be shown: nothing in it is a command to the terminal. */
  String shown(String text) {
    String harmless = COMMANDS.matcher(text).replaceAll(" ");
    return unicode ? harmless : BEYOND_ASCII.matcher(harmless).replaceAll("?");
  }

  /** How many columns a text takes. */
  static int columns(String text) {
    return new AttributedString(text).columnLength();
  }

  /** A text with as many spaces behind it as it takes to be this wide. */
  static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - columns(text)));
  }

  /** What stands for things that are left out. */
  String ellipsis() {
    return pick("…", "...");
  }
}
