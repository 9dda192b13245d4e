package io.nodepool.cli.view;

import io.nodepool.vocabulary.UserText;
import java.util.regex.Pattern;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of a terminal. No information is shown by colour alone.
 *
 * @param colour whether colours are enabled
 * @param unicode whether non-ASCII characters can be shown
 */
public record Theme(boolean colour, boolean unicode) {
  private static final Pattern BEYOND_ASCII = Pattern.compile("[^\\x20-\\x7e]");

  /**
   * Whether colours are wanted: any value of the variable NO_COLOR but the empty text disables
   * them.
   */
  public static boolean isColoured(@Nullable String noColour) {
    return noColour == null || noColour.isEmpty();
  }

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

  /** One of two texts: the second if only ASCII can be shown. */
  String pick(String unicodeText, String asciiText) {
    return unicode ? unicodeText : asciiText;
  }

  /** A text without control characters, and without non-ASCII characters if needed. */
  String shown(String text) {
    String harmless = UserText.CONTROL.matcher(text).replaceAll(" ");
    return unicode ? harmless : BEYOND_ASCII.matcher(harmless).replaceAll("?");
  }

  /** The width of a text in columns. */
  static int columns(String text) {
    return new AttributedString(text).columnLength();
  }

  /** A text padded with spaces to this width. */
  static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - columns(text)));
  }

  /** The sign for omitted parts. */
  String ellipsis() {
    return pick("…", "...");
  }
}
